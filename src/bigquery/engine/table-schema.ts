import * as v from 'valibot';
import { arrayType, type Field, isScalarName, type Type, unstored } from '../../types/types.js';
import { ApiFailure, type BigQueryApi } from './api.js';
import type { TableField } from './table-field.js';

const fieldSchema: v.GenericSchema<TableField> = v.object({
  name: v.string(),
  type: v.string(),
  mode: v.optional(v.string()),
  fields: v.optional(v.array(v.lazy(() => fieldSchema))),
  rangeElementType: v.optional(v.object({ type: v.string() })),
});

/** The schema of a table or of an answer. */
export const schemaSchema = v.object({ fields: v.array(fieldSchema) });

const tableSchema = v.object({
  schema: v.optional(schemaSchema),
  location: v.optional(v.string()),
});

/**
 * The columns of a table and its location, such as `EU`; undefined for a table that does not exist.
 * @throws ApiFailure
 */
export async function readTableSchema(
  api: BigQueryApi,
  [project = '', dataset = '', table = '']: readonly string[],
) {
  const path = `datasets/${encodeURIComponent(dataset)}/tables/${encodeURIComponent(table)}`;
  try {
    const answer = await api.send({ method: 'GET', path, project });
    const { schema, location } = v.parse(tableSchema, answer);
    return { columns: schemaColumns(schema?.fields ?? []), location };
  } catch (error) {
    if (error instanceof ApiFailure && error.reason === 'notFound') return undefined;
    throw error;
  }
}

/** The columns of a schema, without those that queries cannot read, such as GEOGRAPHY. */
export function schemaColumns(fields: readonly TableField[]): readonly Field[] {
  return fields.flatMap((field) => {
    const type = readType(field);
    return type === undefined ? [] : [{ name: field.name, type, stored: true }];
  });
}

function readType({ type, mode, fields = [], rangeElementType: of }: TableField): Type | undefined {
  const kind = of === undefined ? (otherNames[type] ?? type) : `${type}<${of.type}>`;
  const isRecord = kind === 'RECORD' || kind === 'STRUCT';
  if (!isRecord && !isScalarName(kind)) return undefined;
  const one: Type = isRecord ? { kind: 'STRUCT', fields: schemaColumns(fields) } : { kind };
  return mode === 'REPEATED' ? arrayType(one) : one;
}

/**
 * The API's names for the types that GoogleSQL calls by another name.
 * @see https://cloud.google.com/bigquery/docs/reference/rest/v2/tables#TableFieldSchema
 */
const otherNames: Readonly<Record<string, string>> = {
  BOOLEAN: 'BOOL',
  FLOAT: 'FLOAT64',
  INTEGER: 'INT64',
};

/** Returns the columns of a table, and the columns that are only declared: these are NULL. */
export function withDeclared(
  columns: readonly Field[],
  declared: readonly Field[],
): readonly Field[] {
  const byName = new Map(declared.map((field) => [field.name.toLowerCase(), field]));
  const own = columns.map((column) => {
    const other = byName.get(column.name.toLowerCase());
    byName.delete(column.name.toLowerCase());
    return other === undefined ? column : { ...column, type: withFields(column.type, other.type) };
  });
  const missing = [...byName.values()].map((field) => {
    return { ...field, type: unstored(field.type), stored: false };
  });
  return [...own, ...missing];
}

function withFields(type: Type, declared: Type): Type {
  if (type.kind === 'ARRAY' && declared.kind === 'ARRAY') {
    return { ...type, element: withFields(type.element, declared.element) };
  }
  if (type.kind !== 'STRUCT' || declared.kind !== 'STRUCT') return type;
  return { ...type, fields: withDeclared(type.fields, declared.fields) };
}
