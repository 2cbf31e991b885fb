import type { FieldSchema } from '../../types/table-schema.js';
import type { AnswerRow, AnswerValue } from './endpoint.js';
import { type Roles, readFirst, recordLevel } from './levels.js';
import { isNumericColumn, printCell } from './print-value.js';
import { findPath, leafField, pathType, type RecordPath } from './record-paths.js';
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
  const paths = added.map((key) => findPath(columns, key.split('.')));
  const ownPaths = paths.filter((path) => path !== undefined);
  const fixed = { hint: '', isNumber: false, isAdded: false };
  const level: Column = {
    ...{ ...fixed, key: '(level)', title: 'Level', width: 62 },
    print: (row) => recordLevel(row, roles).word,
    read: (row) => recordLevel(row, roles).word,
  };
  const status: Column = {
    ...{ ...fixed, key: '(status)', title: 'Status', width: 62 },
    print: (row) => recordLevel(row, roles).status,
    read: (row) => (roles.status ? readFirst(row, roles.status) : null),
  };
  const message: Column = {
    ...{ ...fixed, key: '(message)', title: 'Message', width: undefined },
    print: (row) => printCell(row[roles.message], stringField, zone),
    read: (row) => row[roles.message] ?? null,
  };
  return [
    timeColumn(layout),
    ...(roles.level ? [level] : []),
    ...(roles.status ? [status] : []),
    ...ownPaths.map((path) => addedColumn(path, zone)),
    message,
  ];
}

const stringField: FieldSchema = { name: '', type: 'STRING', mode: 'NULLABLE' };

/** Shows the time of day, with the day in the header if all rows share it, otherwise in each row. */
function timeColumn({ roles, rows, zone }: RecordLayout): Column {
  const field: FieldSchema = { name: roles.time, type: 'TIMESTAMP', mode: 'NULLABLE' };
  const whole = (row: AnswerRow) => printCell(row[roles.time], field, zone);
  const times = rows.map(whole);
  const days = new Set(times.map((text) => text.slice(0, 10)));
  const isWhole = times.every((text) => text.endsWith('.000'));
  const from = days.size === 1 ? 11 : 0;
  const [day = ''] = days;
  return {
    ...{ key: '(time)', hint: zone === 'utc' ? 'in UTC' : 'in your zone', isNumber: false },
    ...{ isAdded: false, width: from === 0 ? 212 : 128 },
    title: from === 0 ? 'Time' : `Time, ${dayName(day)}`,
    print: (row) => whole(row).slice(from, isWhole ? 19 : undefined),
    read: (row) => row[roles.time] ?? null,
  };
}

/** `10 Mar` of `2026-03-10`. */
function dayName(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  const options = { day: 'numeric', month: 'short', timeZone: 'UTC' } as const;
  return Number.isNaN(date.getTime()) ? day : date.toLocaleDateString('en-GB', options);
}

function addedColumn(path: RecordPath, zone: Zone): Column {
  const field = leafField(path);
  const key = path.map(({ name }) => name).join('.');
  const read = (row: AnswerRow) => readFirst(row, path);
  return {
    ...{ key, title: key.replace(/^metadata\./, ''), hint: pathType(field), width: 184 },
    ...{ isNumber: isNumericColumn(field), isAdded: true },
    print: (row) => {
      const value = read(row);
      return value === null ? '' : printCell(value, field, zone);
    },
    read,
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
    const { name } = field;
    const whole = (row: AnswerRow) => printCell(row[name], field, zone);
    const isTime = field.type === 'TIMESTAMP' && field.mode !== 'REPEATED';
    const isWhole = isTime && rows.every((row) => /\.000$|^NULL$/.test(whole(row)));
    const print = (row: AnswerRow) => (isWhole ? whole(row).slice(0, 19) : whole(row));
    const letters = Math.max(name.length + 1, ...sample.map((row) => print(row).length));
    const wanted = Math.max(narrowest, letters * letterWidth + padding);
    return {
      ...{ key: name, title: name, hint: pathType(field), isNumber: isNumericColumn(field) },
      ...{ isAdded: false, print, width: Math.round(Math.min(widest, wanted)) },
      read: (row) => row[name] ?? null,
    };
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
