import type { StructType, Type } from '../types/types.js';
import type { FormatColumn } from './formats.js';
import { parsers, readerOf, shownType, type Value, type ValueRecord } from './values.js';

/** A column with its values in order of the rows; the type is a {@link shownType}. */
export interface ColumnValues {
  readonly name: string;
  readonly type: Type;
  readonly values: Value[];
}

/** Reads rows, each the UTF-8 of a JSON object, into columns; `parse` reads scalars. */
export function readTable(
  rows: readonly Uint8Array[],
  columns: readonly FormatColumn[],
  parse = parsers,
): readonly ColumnValues[] {
  const fields = columns.map(({ name, type }) => ({ name, type, stored: true }));
  const type = shownType({ kind: 'STRUCT', fields } satisfies StructType);
  if (type.kind !== 'STRUCT') throw new Error('rows without a column');
  const read = readerOf(type, parse);
  const records = rows.map((row) => read(Buffer.from(row).toString()));
  return type.fields.map((field) => ({
    name: field.name,
    type: field.type,
    values: records.map((record) => (record as ValueRecord)[field.name] ?? null),
  }));
}
