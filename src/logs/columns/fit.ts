import { duckType } from '../../compiler/duckdb-sql/duckdb-type.js';
import { type Field, otherFields, recordFields, type Type } from '../../types/types.js';
import type { FieldPlan } from './columns.js';

/** Whether records are stored in the same way under both lists of columns. */
export function isStoredAlike(one: readonly Field[], other: readonly Field[]): boolean {
  const [before, now] = [one, other].map((fields) => duckType({ kind: 'STRUCT', fields }));
  return before === now;
}

/**
 * Whether records that are stored under some columns can be read under others: the others have all of their stored
 * fields with the same types, but with `asLists`, a list may be stored as its only element.
 */
export function canReadAs(
  stored: readonly Field[],
  columns: readonly Field[],
  how = { asLists: true },
): boolean {
  const byName = new Map(columns.map((field) => [field.name, field]));
  return stored
    .filter((field) => field.stored)
    .every(({ name, type }) => {
      const field = byName.get(name);
      return field?.stored === true && canReadTypeAs(type, field.type, how);
    });
}

function canReadTypeAs(stored: Type, type: Type, how: { readonly asLists: boolean }): boolean {
  if (stored.kind !== 'ARRAY' || type.kind !== 'ARRAY') return stored.kind === type.kind;
  if (stored.element.kind !== 'STRUCT' || type.element.kind !== 'STRUCT') {
    return stored.element.kind === type.element.kind;
  }
  const isSame = stored.layout === type.layout || (how.asLists && type.layout === 'list');
  return isSame && canReadAs(stored.element.fields, type.element.fields, how);
}

/**
 * Orders fields like the known ones; unknown fields follow, and the field of the {@link otherFields} is last. A field
 * that is known in another spelling gets the known name.
 */
export function orderLikeKnown(
  fields: readonly FieldPlan[],
  known: readonly Field[],
): readonly FieldPlan[] {
  const indexes = new Map(known.map(({ name }, index) => [name.toLowerCase(), index]));
  const knownIndex = (name: string) => indexes.get(name.toLowerCase()) ?? known.length;
  const fieldIndex = ({ name }: FieldPlan) => (name === otherFields ? last : knownIndex(name));
  return fields
    .toSorted((one, other) => fieldIndex(one) - fieldIndex(other))
    .map((field) => {
      const before = known[fieldIndex(field)];
      if (before === undefined) return field;
      const isKnown = field.keys.includes(before.name);
      const name = isKnown ? before.name : field.name;
      if (field.plan.is !== 'record') return { ...field, name };
      const inner = orderLikeKnown(field.plan.fields, recordFields(before.type));
      return { ...field, name, plan: { ...field.plan, fields: inner } };
    });
}

const last = Number.MAX_SAFE_INTEGER;
