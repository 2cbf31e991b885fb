import type { SourceSchema } from '../../src/types/schema.js';
import type { Field, Type } from '../../src/types/types.js';

/** A source as a table of BigQuery: it has no columns and fields that are only declared. */
export function asTable(source: SourceSchema): SourceSchema {
  return { ...source, columns: storedOnly(source.columns) };
}

function storedOnly(fields: readonly Field[]): readonly Field[] {
  return fields
    .filter(({ stored }) => stored)
    .map((field) => ({ ...field, type: storedType(field.type) }));
}

function storedType(type: Type): Type {
  if (type.kind === 'ARRAY') return { ...type, element: storedType(type.element) };
  return type.kind === 'STRUCT' ? { ...type, fields: storedOnly(type.fields) } : type;
}
