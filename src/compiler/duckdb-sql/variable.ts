import type { Type } from '../../types/types.js';
import { call, type DuckExpression, integer } from './duckdb-sql.js';

/** Maps each element of a list by an expression that reads it as a variable of this name. */
export function mapAs(list: DuckExpression, name: string, body: DuckExpression): DuckExpression {
  return call('list_transform', list, { kind: 'lambda', parameters: [name], body });
}

/** Evaluates an expression that reads a value as a variable of this name. */
export function letBe(value: DuckExpression, name: string, body: DuckExpression): DuckExpression {
  return firstElement(mapAs(duckList(value), name, body));
}

/** Keeps the elements of a list that pass a test, which reads them as a variable of this name. */
export function filterAs(list: DuckExpression, name: string, body: DuckExpression): DuckExpression {
  return call('list_filter', list, { kind: 'lambda', parameters: [name], body });
}

/** A list. */
export function duckList(...elements: readonly DuckExpression[]): DuckExpression {
  return { kind: 'list', elements };
}

/** The first element of a list. */
export function firstElement(list: DuckExpression): DuckExpression {
  return call('list_extract', list, integer(1));
}

const maxPath = 4;
const manyFields = 32;

/**
 * Whether it is better to read a record as a variable than to repeat it for each field: the engine copies the whole
 * record for each path, and computes any other value again. A variable has a cost, too: the engine hashes the body of a
 * lambda twice, and so 2^n times in n lambdas.
 */
export function isLongPath(value: DuckExpression, type: Type): boolean {
  const isWide = type.kind === 'STRUCT' && type.fields.length > manyFields;
  return pathLength(value) >= (isWide ? 1 : maxPath);
}

function pathLength(value: DuckExpression): number {
  if (value.kind === 'field') return 1 + pathLength(value.of);
  return value.kind === 'column' || value.kind === 'name' ? 0 : maxPath;
}
