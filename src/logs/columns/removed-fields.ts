import type { SourceSchema } from '../../types/schema.js';
import type { Field, Type } from '../../types/type.js';

/**
 * A source that is stored with room for more than its records hold, as they show it: without the
 * fields that only records had that are gone. `present` is how these records alone would be stored.
 */
export function withoutGone(stored: SourceSchema, present: SourceSchema): SourceSchema {
  return { ...stored, columns: shownFields(stored.columns, present.columns) };
}

function shownFields(stored: readonly Field[], present: readonly Field[]): readonly Field[] {
  return present.flatMap((field) => {
    const room = stored.find(({ name }) => name === field.name);
    if (!field.stored || room === undefined) return field.stored ? [] : [field];
    return [{ ...room, type: shownType(room.type, field.type) }];
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
 * Whether a source can be shown as records hold it that are stored with room for more: every field
 * under the same name, with the same type. Else they must be loaded anew.
 */
export function canShow(stored: SourceSchema, present: SourceSchema): boolean {
  return printShown(withoutGone(stored, present)) === printShown(present);
}

/** What callers see of a source. */
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
