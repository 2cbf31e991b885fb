import type { AnswerRow } from './endpoint.js';

/** The key of a record in a link: its instant in microseconds since 1970, and its id. */
export function keyOfRow({ timestamp, id }: AnswerRow): string {
  return timestamp == null ? '' : `${timestamp}.${id ?? ''}`;
}

/** The instant of a record, in microseconds since 1970. */
export function instantOfRow({ timestamp }: AnswerRow = {}): number | bigint | undefined {
  return typeof timestamp === 'number' || typeof timestamp === 'bigint' ? timestamp : undefined;
}

/** The first row with the key of a link. */
export function rowOfKey(rows: readonly AnswerRow[], key: string): AnswerRow | undefined {
  return key === '' ? undefined : rows.find((row) => keyOfRow(row) === key);
}
