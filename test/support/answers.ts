import { ServiceError } from '../../src/errors/errors.js';

/** The rows of an engine's JSON, sorted as texts. */
export function printRows(json: string): string {
  const rows = JSON.parse(json) as readonly unknown[];
  return `rows: ${rows.map((row) => JSON.stringify(row)).sort()}`;
}

/** A refusal, as `reason: message`; whatever is none begins with `Error`. */
export function printRefusal(error: unknown): string {
  if (!(error instanceof ServiceError)) return `Error, no refusal: ${error}`;
  const [{ reason, message }] = error.faults;
  return `${reason}: ${message}`;
}
