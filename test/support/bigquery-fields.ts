import type { Field, Type } from '../../src/types/types.js';

/**
 * A column of a table that a statement created, as the API describes it.
 * @see https://cloud.google.com/bigquery/docs/reference/rest/v2/tables#TableFieldSchema
 */
export function tableField({ name, type }: Pick<Field, 'name' | 'type'>): object {
  return fieldOf(name, type, {});
}

/** A column of an answer: its mode is always there. */
export function answerField({ name, type }: Pick<Field, 'name' | 'type'>): object {
  return fieldOf(name, type, { mode: 'NULLABLE' });
}

function fieldOf(name: string, type: Type, single: { readonly mode?: 'NULLABLE' }): object {
  const one = type.kind === 'ARRAY' ? type.element : type;
  const mode = type.kind === 'ARRAY' ? { mode: 'REPEATED' } : single;
  const [, range] = /^RANGE<(\w+)>$/.exec(one.kind) ?? [];
  if (range !== undefined) {
    return { name, type: 'RANGE', ...mode, rangeElementType: { type: range } };
  }
  if (one.kind !== 'STRUCT') return { name, type: apiNames[one.kind] ?? one.kind, ...mode };
  const fields = storedFields(one).map((field) => fieldOf(field.name, field.type, single));
  return { name, type: 'RECORD', ...mode, fields };
}

const apiNames: Readonly<Record<string, string>> = {
  BOOL: 'BOOLEAN',
  FLOAT64: 'FLOAT',
  INT64: 'INTEGER',
};

/** The fields that the records have, and not only their declaration. */
export function storedFields(type: Extract<Type, { kind: 'STRUCT' }>): readonly Field[] {
  return type.fields.filter(({ stored }) => stored);
}
