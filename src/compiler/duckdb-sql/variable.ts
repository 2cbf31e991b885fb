import type { Type } from '../../types/types.js';
import { call, type DuckExpression, integer } from './duckdb-sql.js';

/** A list with each element mapped by an expression that reads it as a variable of this name. */
export function mapAs(list: DuckExpression, name: string, body: DuckExpression): DuckExpression {
  return call('list_transform', list, { kind: 'lambda', parameters: [name], body });
}

/** An expression that reads a value as a variable of this name. */
export function letBe(value: DuckExpression, name: string, body: DuckExpression): DuckExpression {
  return firstOf(mapAs(listOf(value), name, body));
}

/** The elements of a list for which a test holds that reads them as a variable of this name. */
export function filterAs(list: DuckExpression, name: string, body: DuckExpression): DuckExpression {
  return call('list_filter', list, { kind: 'lambda', parameters: [name], body });
}

/** A list. */
export function listOf(...elements: readonly DuckExpression[]): DuckExpression {
  return { kind: 'list', elements };
}

/** The first element of a list. */
export function firstOf(list: DuckExpression): DuckExpression {
  return call('list_extract', list, integer(1));
}

const maxPath = 4;
const manyFields = 32;

/**
 * Whether a record is better read as a variable than by a path in each of its fields: the engine copies the whole record
 * for each. A variable has its own price: the engine binds the body of a lambda twice, and so 2^n times in n lambdas.
 */
export function isLongPath(value: DuckExpression, type: Type): boolean {
  const isWide = type.kind === 'STRUCT' && type.fields.length > manyFields;
  return pathLength(value) >= (isWide ? 1 : maxPath);
}

function pathLength(value: DuckExpression): number {
  return value.kind === 'field' ? 1 + pathLength(value.of) : 0;
}
