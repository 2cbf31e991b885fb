import type { AnswerRow, AnswerValue } from './endpoint.js';
import type { Column } from './layout.js';
import { printPlain } from './print-value.js';

/** An order of the rows, by the key of a column. */
export interface Sort {
  readonly key: string;
  readonly order: 'ascending' | 'descending';
}

/** Sorts the rows, NULLs last; without an order, returns them unchanged. */
export function sortRows(
  rows: readonly AnswerRow[],
  columns: readonly Column[],
  sort: Sort | undefined,
): readonly AnswerRow[] {
  const column = columns.find(({ key }) => key === sort?.key);
  if (sort === undefined || column === undefined) return rows;
  const sign = sort.order === 'ascending' ? 1 : -1;
  const keyed = rows.map((row) => ({ row, value: column.read(row) }));
  const sorted = keyed.toSorted((a, b) => {
    if (a.value === null || b.value === null)
      return Number(a.value === null) - Number(b.value === null);
    return sign * compare(a.value, b.value);
  });
  return sorted.map(({ row }) => row);
}

function compare(a: AnswerValue, b: AnswerValue): number {
  const isNumber = (value: AnswerValue) => typeof value === 'number' || typeof value === 'bigint';
  if (isNumber(a) && isNumber(b)) return Number(a > b) - Number(a < b);
  const [left, right] = [printPlain(a), printPlain(b)];
  return left < right ? -1 : Number(left !== right);
}

/** Whether the rows are records, newest first. */
export function areNewest(rows: readonly AnswerRow[]): boolean {
  const times = rows.map(({ timestamp }) => Number(timestamp ?? Number.NaN));
  return times.every((time, index) => time <= (index === 0 ? time : (times[index - 1] ?? 0)));
}
