/**
 * A text, a format or a path that a function refuses. Callers may see the message, which uses BigQuery's words, and
 * may quote a value after a colon.
 */
export class ValueFault extends Error {}
