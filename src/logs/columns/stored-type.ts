import { duckType } from '../../compiler/duckdb-sql/duckdb-type.js';
import type { Field, Type } from '../../types/types.js';
import type { FieldPlan, Plan } from './columns.js';

/**
 * The path of a field below its parent's, such as `metadata.request`; a name with a dot is quoted.
 */
export function storedPath(parent: string, name: string): string {
  const part = name.includes('.') ? JSON.stringify(name) : name;
  return parent === '' ? part : `${parent}.${part}`;
}

/** The DuckDB type of a column; `lists` are the paths of records stored as lists. */
export function typeSql(plan: Plan, path: string, lists: ReadonlySet<string>): string {
  return duckType(schemaType(plan, path, lists));
}

/** The field as it appears in the schema. */
export function schemaField(
  { name, plan, stored, undeclared }: FieldPlan,
  parent: string,
  lists: ReadonlySet<string>,
): Field {
  const path = storedPath(parent, name);
  const type = schemaType(plan, path, lists);
  return { name, type, stored, ...(undeclared && { undeclared }) };
}

function schemaType(plan: Plan, path: string, lists: ReadonlySet<string>): Type {
  if (plan.is === 'scalars') return { kind: 'ARRAY', element: { kind: plan.type }, layout: 'list' };
  const fields = plan.fields?.map((field) => schemaField(field, path, lists)) ?? [];
  if (plan.is !== 'record') return { kind: plan.type, ...(plan.fields && { fields }) };
  const layout = lists.has(path) ? 'list' : 'struct';
  return { kind: 'ARRAY', element: { kind: 'STRUCT', fields }, layout };
}
