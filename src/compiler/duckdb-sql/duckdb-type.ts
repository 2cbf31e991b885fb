import { type ScalarName, storedNames, type Type } from '../../types/types.js';
import { castTo, type DuckExpression, nullValue } from './duckdb-sql.js';
import { quote } from './print.js';

const scalarTypes: Readonly<Record<ScalarName, string>> = {
  BOOL: 'BOOLEAN',
  BYTES: 'BLOB',
  BIGNUMERIC: 'DECIMAL(38,8)',
  DATE: 'DATE',
  DATETIME: 'TIMESTAMP',
  FLOAT64: 'DOUBLE',
  INT64: 'BIGINT',
  INTERVAL: 'INTERVAL',
  JSON: 'JSON',
  NUMERIC: 'DECIMAL(38,9)',
  STRING: 'VARCHAR',
  TIME: 'TIME',
  TIMESTAMP: 'TIMESTAMPTZ',
  'RANGE<DATE>': 'STRUCT("start" DATE, "stop" DATE)',
  'RANGE<DATETIME>': 'STRUCT("start" TIMESTAMP, "stop" TIMESTAMP)',
  'RANGE<TIMESTAMP>': 'STRUCT("start" TIMESTAMPTZ, "stop" TIMESTAMPTZ)',
};

/** The DuckDB type of values of a BigQuery type; records in their stored layout. */
export function duckType(type: Type): string {
  if (type.kind === 'ARRAY') {
    return type.layout === 'list' ? `${duckType(type.element)}[]` : duckType(type.element);
  }
  if (type.kind !== 'STRUCT') return scalarTypes[type.kind];
  const names = storedNames(type);
  const fields = type.fields.flatMap((field, index) =>
    field.stored ? [`${quote(names[index] ?? '')} ${duckType(field.type)}`] : [],
  );
  return fields.length === 0 ? 'BOOLEAN' : `STRUCT(${fields.join(', ')})`;
}

/** NULL with a type, so that the engine need not guess one. */
export function typedNull(type: Type): DuckExpression {
  return castTo(nullValue, duckType(type));
}
