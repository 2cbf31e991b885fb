import type { Row } from './endpoint.js';

/** Returns a record's key in a link: its time in microseconds since 1970, and its id. */
export function keyOfRow({ timestamp, id }: Row): string {
  return timestamp == null ? '' : `${timestamp}.${id ?? ''}`;
}

/** Returns the first row with a link's key. */
export function rowOfKey(rows: readonly Row[], key: string): Row | undefined {
  return key === '' ? undefined : rows.find((row) => keyOfRow(row) === key);
}
