import { QueryFault } from '../../errors/query-fault.js';
import type { Type } from '../../types/type.js';
import type { BoundExpression } from './bound.js';

type Kind = Type['kind'];

/**
 * The part of a type that is of one of these kinds, as messages say it: `JSON`, or
 * `STRUCT containing JSON`; undefined where there is none.
 */
export function partOf(type: Type, kinds: readonly Kind[]): string | undefined {
  if (kinds.includes(type.kind)) return type.kind;
  const inner = innerTypes(type).map((part) => partOf(part, kinds));
  const found = inner.find((part) => part !== undefined);
  return found && `${type.kind} containing ${found.replace(/^.* containing /, '')}`;
}

function innerTypes(type: Type): readonly Type[] {
  if (type.kind === 'ARRAY') return [type.element];
  return type.kind === 'STRUCT' ? type.fields.map((field) => field.type) : [];
}

/**
 * What of a type GROUP BY and DISTINCT cannot tell apart.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types#groupable_data_types
 */
export function notGroupable(type: Type): string | undefined {
  return partOf(type, ['JSON']);
}

/** The same for PARTITION BY, which takes no floating point either. */
export function notPartitionable(type: Type): string | undefined {
  return partOf(type, ['JSON', 'FLOAT64']);
}

/**
 * @throws QueryFault for a key of ORDER BY whose type has no order
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types#orderable_data_types
 */
export function refuseOrderKey({ type }: BoundExpression, at: number): void {
  if (!['ARRAY', 'STRUCT', 'JSON'].includes(type.kind)) return;
  throw new QueryFault(`ORDER BY does not support expressions of type ${type.kind}`, at);
}
