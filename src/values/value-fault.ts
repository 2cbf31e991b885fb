/**
 * The error of a function that refuses a string, a format or a path. Callers may see the message, which uses BigQuery's
 * words, and may quote a value after a colon.
 */
export class ValueFault extends Error {}
