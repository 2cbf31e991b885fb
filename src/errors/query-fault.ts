import { maxMessage, type Reason, ServiceError, shorten } from './errors.js';

/** A fault of a query's text, at an offset in it; {@link toServiceError} gives it line and column. */
export class QueryFault extends Error {
  readonly at: number;
  readonly reason: Reason;

  constructor(message: string, at: number, reason: Reason = 'invalidQuery') {
    super(message);
    this.at = at;
    this.reason = reason;
  }
}

/** Line and column, both from 1, of an offset in UTF-16 units; a column counts characters. */
export function positionOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at);
  const lines = before.split(/\r\n|\r|\n/);
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
}

/** `Unrecognized name: x` -> the same with ` at [1:8]`, as BigQuery words it. */
export function toServiceError(fault: QueryFault, text: string, location?: string): ServiceError {
  const { line, column } = positionOf(text, fault.at);
  const place = { line, column, ...(location === undefined ? {} : { location }) };
  const where = ` at [${line}:${column}]`;
  const message = `${shorten(fault.message, maxMessage - where.length)}${where}`;
  return new ServiceError(fault.reason, message, {
    ...place,
    cause: fault,
  });
}
