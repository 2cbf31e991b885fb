import { quoteName } from '../common/quote.js';
import type { ScalarName, Type } from '../types/types.js';

const stored = {
  STRING: 'VARCHAR',
  INT64: 'BIGINT',
  FLOAT64: 'DOUBLE',
  NUMERIC: 'DECIMAL(38, 9)',
  BOOL: 'BOOLEAN',
  TIMESTAMP: 'TIMESTAMPTZ',
} as const satisfies Partial<Record<ScalarName, string>>;

/** The DuckDB type as which values of a type of the schema are stored. */
export function storedTypeSql(type: Type): string {
  if (type.kind === 'ARRAY') {
    return `${storedTypeSql(type.element)}${type.layout === 'list' ? '[]' : ''}`;
  }
  if (type.kind !== 'STRUCT') return stored[type.kind as keyof typeof stored];
  const fields = type.fields
    .filter((field) => field.stored)
    .map((field) => `${quoteName(field.name)} ${storedTypeSql(field.type)}`);
  return `STRUCT(${fields.join(', ')})`;
}
