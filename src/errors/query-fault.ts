import { maxMessageLength, type Reason, ServiceError, shorten } from './errors.js';

/** An error at an offset in a query; {@link toServiceError} adds line and column. */
export class QueryFault extends Error {
  readonly at: number;
  readonly reason: Reason;

  constructor(message: string, at: number, reason: Reason = 'invalidQuery') {
    super(message);
    this.at = at;
    this.reason = reason;
  }
}

/** The line and column, both from 1, of an offset in UTF-16 units; columns count characters. */
export function lineAndColumn(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  const lines = before.split(/\r\n|\r|\n/);
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
}

/** Converts a QueryFault to a ServiceError whose message ends like ` at [1:8]`, as in BigQuery. */
export function toServiceError(fault: QueryFault, text: string, location?: string): ServiceError {
  const { line, column } = lineAndColumn(text, fault.at);
  const position = ` at [${line}:${column}]`;
  const message = `${shorten(fault.message, maxMessageLength - position.length)}${position}`;
  const options = { line, column, cause: fault };
  return new ServiceError(fault.reason, message, location ? { ...options, location } : options);
}
