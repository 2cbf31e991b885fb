import type { SourceSchema } from '../../types/schema.js';
import type { Field, Type } from '../../types/types.js';
import type { FieldPlan } from './columns.js';
import { pathOf } from './stored-type.js';

/** Whether two schemas store records in the same way. */
export function isStoredAlike(one: SourceSchema, other: SourceSchema): boolean {
  return printStored(one.columns) === printStored(other.columns);
}

/**
 * Orders fields like the known ones, with unknown fields last, and gives them the names of the known
 * ones if the spelling differs.
 */
export function inOrderOf(
  fields: readonly FieldPlan[],
  known: readonly Field[],
): readonly FieldPlan[] {
  const indexes = new Map(known.map(({ name }, index) => [name.toLowerCase(), index]));
  const indexOf = ({ name }: FieldPlan) => indexes.get(name.toLowerCase()) ?? known.length;
  return fields
    .toSorted((one, other) => indexOf(one) - indexOf(other))
    .map((field) => {
      const before = known[indexOf(field)];
      if (before === undefined) return field;
      const isKnown = field.keys.includes(before.name);
      const name = isKnown ? before.name : field.name;
      if (field.plan.is !== 'record') return { ...field, name };
      const inner = inOrderOf(field.plan.fields, fieldsOf(before.type));
      return { ...field, name, plan: { ...field.plan, fields: inner } };
    });
}

function fieldsOf(type: Type): readonly Field[] {
  return type.kind === 'ARRAY' && type.element.kind === 'STRUCT' ? type.element.fields : [];
}

/**
 * Plans the records at the paths in `lists` as lists or objects: other files store them as lists.
 */
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

/** The stored layout as text, without not-null witnesses, which only speed up reading. */
function printStored(columns: readonly Field[]): string {
  return JSON.stringify(columns.filter(({ stored }) => stored).map(withoutWitnesses));
}

function withoutWitnesses(field: Field): unknown {
  return { ...field, type: storedType(field.type) };
}

function storedType(type: Type): unknown {
  if (type.kind !== 'ARRAY') return { kind: type.kind };
  if (type.element.kind !== 'STRUCT') return type;
  const fields = type.element.fields.filter(({ stored }) => stored).map(withoutWitnesses);
  return { kind: 'ARRAY', layout: type.layout, fields };
}
