import type { SourceSchema } from '../../types/schema.js';
import type { Field, Type } from '../../types/types.js';

/**
 * A source without the fields that only removed records had. They are still stored, as NULL, so that
 * removing a file does not reload the others. `present` is how the present records alone would be
 * stored.
 */
export function withoutRemovedFields(stored: SourceSchema, present: SourceSchema): SourceSchema {
  return { ...stored, columns: shownFields(stored.columns, present.columns) };
}

function shownFields(stored: readonly Field[], present: readonly Field[]): readonly Field[] {
  return present.flatMap((field) => {
    const match = stored.find(({ name }) => name === field.name);
    if (!field.stored || match === undefined) return field.stored ? [] : [field];
    return [{ ...match, type: shownType(match.type, field.type) }];
  });
}

function shownType(stored: Type, present: Type): Type {
  if (stored.kind === 'ARRAY' && present.kind === 'ARRAY') {
    return { ...stored, element: shownType(stored.element, present.element) };
  }
  if (stored.kind !== 'STRUCT' || present.kind !== 'STRUCT') return stored;
  const fields = shownFields(stored.fields, present.fields);
  const hasRemovedFields = countStored(fields) < countStored(stored.fields);
  return { ...stored, fields, ...(hasRemovedFields && { hasRemovedFields }) };
}

function countStored(fields: readonly Field[]): number {
  return fields.filter(({ stored }) => stored).length;
}

/**
 * Whether hiding the fields of removed records is enough: every other field then has the name and type
 * that the present records alone would give it. If not, the source must be reloaded.
 */
export function canShowAs(stored: SourceSchema, present: SourceSchema): boolean {
  return printShown(withoutRemovedFields(stored, present)) === printShown(present);
}

/** What callers see of a source, as text. */
function printShown({ columns }: SourceSchema): string {
  return JSON.stringify(shownParts(columns));
}

function shownParts(fields: readonly Field[]): readonly unknown[] {
  return fields
    .filter(({ stored }) => stored)
    .map(({ name, type }) => {
      const element = type.kind === 'ARRAY' ? type.element : type;
      const inner = element.kind === 'STRUCT' ? shownParts(element.fields) : element.kind;
      return [name, type.kind, inner];
    });
}
