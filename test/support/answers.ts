import { ServiceError } from '../../src/errors/errors.js';

/** The rows of an engine's JSON, in an order of ours. */
export function printRows(json: Uint8Array): string {
  const rows = JSON.parse(Buffer.from(json).toString()) as readonly unknown[];
  return `rows: ${rows.map((row) => JSON.stringify(row)).sort()}`;
}

/** A refusal, as `reason: message`; whatever is none begins with `Error`. */
export function printRefusal(error: unknown): string {
  if (!(error instanceof ServiceError)) return `Error, no refusal: ${error}`;
  const [{ reason, message }] = error.faults;
  return `${reason}: ${message}`;
}
