import { quoteText } from '../../process/quote.js';
import type { FieldPlan, Plan } from './columns.js';

/** The structure argument of DuckDB's `from_json`. */
export type Spec = string | readonly Spec[] | { readonly [key: string]: Spec };

/** Selects the fields to read. */
export type Keep = (field: FieldPlan) => boolean;

/** Selects the fields that are stored. */
export const isStored: Keep = (field) => field.stored;

/** SQL that reads JSON as a value of a type. */
export function fromJson(json: string, spec: Spec): string {
  return `from_json(${json}, ${quoteText(JSON.stringify(spec))})`;
}

/** The spec of a record's fields; fields with several spellings are left out. */
export function fieldsSpec(fields: readonly FieldPlan[], keep: Keep): Spec {
  const single = fields.filter((field) => field.keys.length === 1 && keep(field));
  if (single.length === 0) return 'JSON';
  return Object.fromEntries(single.map(({ keys, plan }) => [keys[0] ?? '', specOf(plan, keep)]));
}

/** The spec of a field. */
export function specOf(plan: Plan, keep: Keep): Spec {
  if (plan.is !== 'record')
    return plan.is === 'scalar' || plan.raw === 'JSON' ? plan.raw : [plan.raw];
  if (plan.form === 'mixed') return 'JSON';
  const fields = fieldsSpec(plan.fields, keep);
  return plan.form === 'array' ? [fields] : fields;
}
