import type { FieldPlan } from './load-plan.js';
import { pathOf } from './load-type.js';
import type { Field, SourceSchema, Type } from './schema.js';

/** Whether records of one schema are stored as those of another are. */
export function isStoredAlike(one: SourceSchema, other: SourceSchema): boolean {
  return printStored(one.columns) === printStored(other.columns);
}

/** The paths of a source's records that are stored as lists. */
export function listPathsOf(source: SourceSchema | undefined): readonly string[] {
  return (source?.columns ?? []).flatMap((field) => listsBelow(field, ''));
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

function listsBelow({ name, type }: Field, parent: string): readonly string[] {
  if (type.kind !== 'ARRAY' || type.element.kind !== 'STRUCT') return [];
  const path = pathOf(parent, name);
  const inner = type.element.fields.flatMap((field) => listsBelow(field, path));
  return type.layout === 'list' ? [path, ...inner] : inner;
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
