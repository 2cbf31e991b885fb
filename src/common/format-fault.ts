/** A format that cannot be read, or that does not fit its values; the message is in BigQuery's words. */
export class FormatFault extends Error {}
