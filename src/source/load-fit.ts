import type { FieldPlan } from './load-plan.js';
import type { WrittenTable } from './load-table.js';
import { pathOf } from './load-type.js';
import type { Field, SourceSchema, Type } from './schema.js';

interface Fit {
  /** How other records of the source are stored. */
  readonly base: SourceSchema;
  /** How these are. */
  readonly schema: SourceSchema;
  readonly declared: SourceSchema;
}

/**
 * Whether records are stored as others of their source are: no field more, no record that is a list
 * here and none there, and nothing lost to a type that no declaration but those others gave a field.
 */
export function isStoredAlike(
  { base, schema, declared }: Fit,
  { findings }: WrittenTable,
): boolean {
  const isAlike = printStored(base.columns) === printStored(schema.columns);
  const known = declared.columns.flatMap((field) => pathsOf(field, ''));
  const bad = [...findings.values()]
    .flatMap((counts) => [...counts.keys()])
    .flatMap((text) => (text.startsWith('B') ? [text.slice(1)] : []));
  return isAlike && bad.every((text) => known.some((path) => text.startsWith(`${path}: `)));
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

function pathsOf({ name, type }: Field, parent: string): readonly string[] {
  const path = pathOf(parent, name);
  const fields = type.kind === 'ARRAY' && type.element.kind === 'STRUCT' ? type.element.fields : [];
  return [path, ...fields.flatMap((field) => pathsOf(field, path))];
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
