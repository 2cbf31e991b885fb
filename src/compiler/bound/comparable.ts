import { QueryFault } from '../../errors/query-fault.js';
import { innerTypes, structType, type Type } from '../../types/types.js';
import type { OrderItem } from '../syntax/tree.js';
import type * as bound from './bound.js';
import { plain } from './coerce.js';

type Kind = Type['kind'];

/**
 * Describes the part of a type that has one of these kinds: `JSON`, or `STRUCT containing JSON`;
 * undefined if there is no such part. Undeclared fields do not count: no query is refused because of what is logged.
 */
export function describePart(type: Type, kinds: readonly Kind[]): string | undefined {
  if (kinds.includes(type.kind)) return type.kind;
  const declared =
    type.kind === 'STRUCT' ? structType(type.fields.filter(({ undeclared }) => !undeclared)) : type;
  const inner = innerTypes(declared).map((part) => describePart(part, kinds));
  const found = inner.find((part) => part !== undefined);
  return found && `${type.kind} containing ${found.replace(/^.* containing /, '')}`;
}

/**
 * Describes the part of a type that GROUP BY and DISTINCT do not support; undefined if they do.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types#groupable_data_types
 */
export function notGroupable(type: Type): string | undefined {
  return describePart(type, ['JSON']);
}

/** Like {@link notGroupable}, for PARTITION BY, which does not support floating point, arrays or structs either. */
export function notPartitionable(type: Type): string | undefined {
  return describePart(type, ['JSON', 'FLOAT64', 'ARRAY', 'STRUCT']);
}

/**
 * Like {@link notGroupable}, for set operations with DISTINCT, which need equality.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types#comparable_data_types
 */
export function notComparable(type: Type): string | undefined {
  return describePart(type, ['JSON', 'ARRAY']);
}

/**
 * Checks that a value can be ordered; `what` names the clause in the message.
 * @throws QueryFault if its type has no order
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types#orderable_data_types
 */
export function checkOrder({ type }: bound.Expression, at: number, what = 'ORDER BY'): void {
  if (!['ARRAY', 'STRUCT', 'JSON'].includes(type.kind)) return;
  throw new QueryFault(`${what} does not support expressions of type ${type.kind}`, at);
}

/** A key of ORDER BY with this value. @throws QueryFault if the value has no order */
export function orderKey(
  { descending, nulls, at }: OrderItem,
  value: bound.Expression,
): bound.Order {
  checkOrder(value, at);
  return { value: plain(value), descending, ...(nulls && { nulls }) };
}
