import { ServiceError } from '../errors/errors.js';
import { encodeRows } from '../formats/encode.js';
import { printSize } from '../process/print-size.js';
import type { Result, Statement } from './engine.js';

/**
 * Encodes the rows of a statement, each the UTF-8 of a JSON object; there may be one row more than wanted.
 * @throws ServiceError if they are larger than `maxBytes`
 */
export async function encodeResult(
  rows: readonly Uint8Array[],
  { maxRows, format = 'json', columns = [] }: Statement,
  maxBytes: number,
): Promise<Omit<Result, 'timings'>> {
  const kept = rows.slice(0, maxRows);
  const bytes = kept.reduce((sum, row) => sum + row.byteLength, 0);
  if (bytes > maxBytes) throw tooLarge(maxBytes);
  const body = await encodeRows(kept, format, columns);
  if (body.byteLength > maxBytes) throw tooLarge(maxBytes);
  return { body, format, rowCount: kept.length, truncated: rows.length > maxRows };
}

/** The error for a result that exceeds its limit in bytes. */
export function tooLarge(limit: number): ServiceError {
  const message = `The result is larger than ${printSize(limit)} (--max-result-bytes): select fewer or smaller columns`;
  return new ServiceError('resourcesExceeded', message);
}
