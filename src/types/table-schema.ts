import type { ScalarName, Type } from './types.js';

/**
 * Columns as BigQuery's API describes them.
 * @see https://cloud.google.com/bigquery/docs/reference/rest/v2/tables#TableSchema
 */
export interface TableSchema {
  readonly fields: readonly FieldSchema[];
}

/** A column, or a field of a record; an array is its element with the mode `REPEATED`. */
export interface FieldSchema {
  readonly name: string;
  readonly type: ScalarName | 'STRUCT';
  readonly mode: 'NULLABLE' | 'REPEATED';
  /** The fields of a record; only with the type `STRUCT`. */
  readonly fields?: readonly FieldSchema[];
}

/** Describes columns. */
export function tableSchema(
  columns: readonly { readonly name: string; readonly type: Type }[],
): TableSchema {
  return { fields: columns.map(({ name, type }) => fieldSchema(name, type)) };
}

function fieldSchema(name: string, type: Type): FieldSchema {
  if (type.kind === 'ARRAY') return { ...fieldSchema(name, type.element), mode: 'REPEATED' };
  if (type.kind !== 'STRUCT') return { name, type: type.kind, mode: 'NULLABLE' };
  return { name, type: 'STRUCT', mode: 'NULLABLE', ...tableSchema(type.fields) };
}
