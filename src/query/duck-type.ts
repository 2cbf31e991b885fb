import type { ScalarName, Type } from '../source/schema.js';
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
};

/** The DuckDB type in which the engine holds a BigQuery type: records as their layout says. */
export function duckType(type: Type): string {
  if (type.kind === 'ARRAY') {
    return type.layout === 'list' ? `${duckType(type.element)}[]` : duckType(type.element);
  }
  if (type.kind !== 'STRUCT') return scalarTypes[type.kind];
  const fields = type.fields.filter((field) => field.stored);
  if (fields.length === 0) return 'BOOLEAN';
  return `STRUCT(${fields.map(({ name, type: inner }) => `${quote(name)} ${duckType(inner)}`).join(', ')})`;
}
