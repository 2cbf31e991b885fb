import * as v from 'valibot';
import { forRanges } from '../../types/ranges.js';
import { arrayOf, type Field, type ScalarName, type Type, unstored } from '../../types/types.js';
import { ApiFailure, type BigQueryApi } from './api.js';

/** A field of a table's schema. */
export interface TableField {
  readonly name: string;
  readonly type: string;
  readonly mode?: string | undefined;
  readonly fields?: readonly TableField[] | undefined;
  /** Only with the type `RANGE`. */
  readonly rangeElementType?: { readonly type: string } | undefined;
}

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

/** A table of BigQuery. */
export interface BigQueryTable {
  readonly columns: readonly Field[];
  /** Such as `EU`. */
  readonly location: string | undefined;
}

/** The columns of a schema. */
export function schemaColumns({ fields }: v.InferOutput<typeof schemaSchema>): readonly Field[] {
  return fieldsOf(fields);
}

/** Undefined for a table that does not exist. @throws ApiFailure */
export async function readTableSchema(
  api: BigQueryApi,
  [project = '', dataset = '', table = '']: readonly string[],
): Promise<BigQueryTable | undefined> {
  const path = `datasets/${encodeURIComponent(dataset)}/tables/${encodeURIComponent(table)}`;
  try {
    const answer = await api.send({ method: 'GET', path, project });
    const { schema, location } = v.parse(tableSchema, answer);
    return { columns: fieldsOf(schema?.fields ?? []), location };
  } catch (error) {
    if (error instanceof ApiFailure && error.reason === 'notFound') return undefined;
    throw error;
  }
}

/** Converts fields; leaves out types that queries cannot read, such as GEOGRAPHY. */
function fieldsOf(fields: readonly TableField[]): readonly Field[] {
  return fields.flatMap((field) => {
    const type = typeOf(field);
    return type === undefined ? [] : [{ name: field.name, type, stored: true }];
  });
}

function typeOf({ type, mode, fields = [], rangeElementType: of }: TableField): Type | undefined {
  const kind = kinds[of === undefined ? type : `${type}<${of.type}>`];
  const isRecord = type === 'RECORD' || type === 'STRUCT';
  const one: Type | undefined = isRecord
    ? { kind: 'STRUCT', fields: fieldsOf(fields) }
    : kind && { kind };
  return mode === 'REPEATED' && one !== undefined ? arrayOf(one) : one;
}

/**
 * The types of columns, by their names in the API.
 * @see https://cloud.google.com/bigquery/docs/reference/rest/v2/tables#TableFieldSchema
 */
const kinds: Readonly<Record<string, ScalarName>> = {
  BIGNUMERIC: 'BIGNUMERIC',
  BOOL: 'BOOL',
  BOOLEAN: 'BOOL',
  BYTES: 'BYTES',
  DATE: 'DATE',
  DATETIME: 'DATETIME',
  FLOAT: 'FLOAT64',
  FLOAT64: 'FLOAT64',
  INT64: 'INT64',
  INTEGER: 'INT64',
  INTERVAL: 'INTERVAL',
  JSON: 'JSON',
  NUMERIC: 'NUMERIC',
  ...forRanges((element) => `RANGE<${element}>` as const),
  STRING: 'STRING',
  TIME: 'TIME',
  TIMESTAMP: 'TIMESTAMP',
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
