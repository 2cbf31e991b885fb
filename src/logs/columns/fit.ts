import type { SourceSchema } from '../../types/schema.js';
import type { Field, Type } from '../../types/type.js';
import type { FieldPlan } from './columns.js';
import { pathOf } from './stored-type.js';

/** Whether records of one schema are stored as those of another are. */
export function isStoredAlike(one: SourceSchema, other: SourceSchema): boolean {
  return printStored(one.columns) === printStored(other.columns);
}

/** Under which of its spellings a field is: the one that is known, or the one that comes first. */
export type Spelling = 'known' | 'first';

/**
 * The fields in the order of those that are known, and under their names where these are of another
 * spelling; what is not known comes last. With `first` it is only the order.
 */
export function inOrderOf(
  fields: readonly FieldPlan[],
  known: readonly Field[],
  spelling: Spelling = 'known',
): readonly FieldPlan[] {
  const places = new Map(known.map(({ name }, place) => [name.toLowerCase(), place]));
  const placeOf = ({ name }: FieldPlan) => places.get(name.toLowerCase()) ?? known.length;
  return fields
    .toSorted((one, other) => placeOf(one) - placeOf(other))
    .map((field) => {
      const before = known[placeOf(field)];
      if (before === undefined) return field;
      const isKnown = spelling === 'known' && field.keys.includes(before.name);
      const name = isKnown ? before.name : field.name;
      if (field.plan.is !== 'record') return { ...field, name };
      const inner = inOrderOf(field.plan.fields, fieldsOf(before.type), spelling);
      return { ...field, name, plan: { ...field.plan, fields: inner } };
    });
}

function fieldsOf(type: Type): readonly Field[] {
  return type.kind === 'ARRAY' && type.element.kind === 'STRUCT' ? type.element.fields : [];
}

/** The fields with those records read as what may be lists: objects here, they are lists elsewhere. */
export function readAsLists(
  fields: readonly FieldPlan[],
  lists: ReadonlySet<string>,
  parent = '',
): readonly FieldPlan[] {
  if (lists.size === 0) return fields;
  return fields.map((field) => {
    const { plan } = field;
    if (plan.is !== 'record') return field;
    const path = pathOf(parent, field.name);
    const form = lists.has(path) && plan.form === 'object' ? 'mixed' : plan.form;
    return { ...field, plan: { ...plan, form, fields: readAsLists(plan.fields, lists, path) } };
  });
}

/** What is stored, without what only helps to read it. */
function printStored(columns: readonly Field[]): string {
  return JSON.stringify(columns.filter(({ stored }) => stored).map(withoutPresence));
}

function withoutPresence(field: Field): unknown {
  return { ...field, type: storedType(field.type) };
}

function storedType(type: Type): unknown {
  if (type.kind !== 'ARRAY' || type.element.kind !== 'STRUCT') return type;
  const fields = type.element.fields.filter(({ stored }) => stored).map(withoutPresence);
  return { kind: 'ARRAY', layout: type.layout, fields };
}
