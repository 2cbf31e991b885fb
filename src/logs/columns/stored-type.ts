import type { Field, Type } from '../../types/types.js';
import type { FieldPlan, Plan } from './columns.js';

/**
 * The path of a field below its parent's, such as `metadata.request`; a name with a dot is quoted.
 */
export function storedPath(parent: string, name: string): string {
  const part = name.includes('.') ? JSON.stringify(name) : name;
  return parent === '' ? part : `${parent}.${part}`;
}

/** The field as it appears in the schema. */
export function schemaField({ name, plan, stored, undeclared }: FieldPlan): Field {
  return { name, type: plannedType(plan), stored, ...(undeclared && { undeclared }) };
}

/** Returns the stored type of a planned field. */
export function plannedType(plan: Plan): Type {
  if (plan.is === 'scalars') return { kind: 'ARRAY', element: { kind: plan.type }, layout: 'list' };
  const fields = plan.fields?.map(schemaField) ?? [];
  if (plan.is !== 'record') return { kind: plan.type, ...(plan.fields && { fields }) };
  const layout = plan.isList ? 'list' : 'struct';
  return { kind: 'ARRAY', element: { kind: 'STRUCT', fields }, layout };
}
