import type { FieldSchema } from '../../types/table-schema.js';
import type { AnswerRow, AnswerValue } from './endpoint.js';
import { type Roles, readFirst, recordLevel } from './levels.js';
import { isNumericColumn, printCell } from './print-value.js';
import { findPath, leafField, pathKey, pathType, type RecordPath } from './record-paths.js';
import type { Zone } from './time.js';

/** A column of the table. */
export interface Column {
  /** A field's key, or the name of a default column in brackets. */
  readonly key: string;
  readonly title: string;
  /** The tooltip of its header. */
  readonly hint: string;
  readonly isNumber: boolean;
  /** Whether the user added it, and may move and remove it. */
  readonly isAdded: boolean;
  readonly print: (row: AnswerRow) => string;
  /** Returns the value that the column is sorted by. */
  readonly read: (row: AnswerRow) => AnswerValue;
  /** In pixels; undefined for the column that takes the remaining width. */
  readonly width: number | undefined;
}

const letterWidth = 7.3;
const padding = 22;
const narrowest = 64;
const widest = 460;
const sampled = 60;
const sparePixels = 200;

/** The inputs of the columns of records. */
export interface RecordLayout {
  readonly roles: Roles;
  readonly columns: readonly FieldSchema[];
  readonly rows: readonly AnswerRow[];
  /** The added columns, by their keys. */
  readonly added: readonly string[];
  readonly zone: Zone;
}

/** Returns the columns of log records: time, level, status, added fields and the message. */
export function recordColumns(layout: RecordLayout): readonly Column[] {
  const { roles, columns, added, zone } = layout;
  const fixed = { hint: '', isNumber: false };
  const wordColumn = (title: string, word: 'word' | 'status', path: RecordPath | undefined) => {
    const print = (row: AnswerRow) => recordLevel(row, roles)[word];
    const key = `(${title.toLowerCase()})`;
    return path ? [{ ...fieldColumn(path, zone), ...fixed, key, title, width: 62, print }] : [];
  };
  const message = fieldColumn(findPath(columns, [roles.message]) ?? [], zone);
  return [
    timeColumn(layout),
    ...wordColumn('Level', 'word', roles.level),
    ...wordColumn('Status', 'status', roles.status),
    ...added.flatMap((key) => {
      const path = findPath(columns, key.split('.'));
      return path ? [addedColumn(path, zone)] : [];
    }),
    { ...message, ...fixed, key: '(message)', title: 'Message', width: undefined },
  ];
}

/** The day and the year of a time: the length, the start of what follows, and the width of a column of that. */
const sharedParts = [
  [10, 11, 128],
  [4, 5, 172],
];

/** Shows times without the day or the year that all rows share, which is in the header. */
function timeColumn({ roles, columns, rows, zone }: RecordLayout): Column {
  const column = shortColumn(findPath(columns, [roles.time]) ?? [], rows, zone);
  const times = rows.map(column.print);
  const [first = ''] = times;
  const isShared = ([length]: readonly number[]) =>
    times.every((text) => text.startsWith(first.slice(0, length)));
  const [shared = 0, from = 0, width = 212] = sharedParts.find(isShared) ?? [];
  return {
    ...{ ...column, key: '(time)', hint: zone === 'utc' ? 'in UTC' : 'in your zone', width },
    title: shared === 0 ? 'Time' : `Time, ${dayName(first.slice(0, shared))}`,
    print: (row) => column.print(row).slice(from),
  };
}

/** `10 Mar` of `2026-03-10`; a year stays. */
function dayName(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  const options = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const;
  return day.length < 10 ? day : date.toLocaleDateString('en-GB', options);
}

/** Returns a column that reads a field, and prints it by its type. */
function fieldColumn(path: RecordPath, zone: Zone): Column {
  const [field, key] = [leafField(path), pathKey(path)];
  const read = (row: AnswerRow) => readFirst(row, path);
  return {
    ...{ key, title: key, hint: pathType(field), isNumber: isNumericColumn(field) },
    ...{ isAdded: false, width: 184, read, print: (row) => printCell(read(row), field, zone) },
  };
}

/** The column of a field, without milliseconds if its values are times and all have none. */
function shortColumn(path: RecordPath, rows: readonly AnswerRow[], zone: Zone): Column {
  const { type, mode } = leafField(path);
  const column = fieldColumn(path, zone);
  const isWhole = (row: AnswerRow) => /\.000$|^NULL$/.test(column.print(row));
  const isShort = type === 'TIMESTAMP' && mode !== 'REPEATED' && rows.every(isWhole);
  return isShort ? { ...column, print: (row) => column.print(row).slice(0, 19) } : column;
}

function addedColumn(path: RecordPath, zone: Zone): Column {
  const column = fieldColumn(path, zone);
  return {
    ...column,
    ...{ title: column.key.replace(/^metadata\./, ''), isAdded: true },
    print: (row) => (column.read(row) === null ? '' : column.print(row)),
  };
}

/** Returns the columns of any other result, each with the width of its first values. */
export function plainColumns(
  fields: readonly FieldSchema[],
  rows: readonly AnswerRow[],
  zone: Zone,
): readonly Column[] {
  const sample = rows.slice(0, sampled);
  return fields.map((field) => {
    const column = shortColumn([field], rows, zone);
    const letters = Math.max(
      field.name.length + 1,
      ...sample.map((row) => column.print(row).length),
    );
    const wanted = Math.max(narrowest, letters * letterWidth + padding);
    return { ...column, width: Math.round(Math.min(widest, wanted)) };
  });
}

/** A column with its place in the table, from 1. */
export interface PlacedColumn extends Column {
  readonly place: number;
}

/** Returns the columns in view, and a few pixels beyond it. */
export function columnsInView(
  columns: readonly Column[],
  { left, width }: { readonly left: number; readonly width: number } = { left: 0, width: Infinity },
): readonly PlacedColumn[] {
  const placed = columns.map((column, index) => ({ ...column, place: index + 1 }));
  let end = 0;
  return placed.filter((column) => {
    const start = end;
    end += column.width ?? 320;
    return end >= left - sparePixels && start <= left + width + sparePixels;
  });
}
