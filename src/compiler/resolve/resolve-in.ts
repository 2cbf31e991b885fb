import { arrayType, scalar } from '../../types/types.js';
import * as bound from '../bound/bound.js';
import { callByName, negated } from '../functions/match-call.js';
import { mayBeNan } from '../functions/nan.js';
import type { ExpressionOf, Query } from '../syntax/tree.js';
import { castColumns } from './cast-columns.js';
import { matchLogField } from './match-log-field.js';
import { onlyColumn } from './resolve-subquery.js';
import { resolvePart, type Scope } from './scope.js';

/**
 * Resolves `x in (1, 2)`, `x in unnest(array)` and `x in (select …)`.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/operators#in_operators
 */
export function resolveIn({ not, ...node }: ExpressionOf<'in'>, scope: Scope): bound.Expression {
  return negated(not, isIn(node, scope), node.at);
}

function isIn(
  { values, at, ...node }: Omit<ExpressionOf<'in'>, 'not'>,
  scope: Scope,
): bound.Expression {
  const operand = resolvePart(node.operand, scope);
  if ('array' in values) {
    return callByName('$IN UNNEST', [operand, resolvePart(values.array, scope)], at);
  }
  if ('kind' in values) return inQuery(operand, values, { scope, at });
  const list = values.map((value) => resolvePart(value, scope));
  return callByName('$IN', matchLogField([operand, ...list], at), at);
}

interface Context {
  readonly scope: Scope;
  readonly at: number;
}

function inQuery(
  operand: bound.Expression,
  values: Query,
  { scope, at }: Context,
): bound.Expression {
  const query = scope.statement.resolveQuery(values, scope);
  const column = onlyColumn(query, 'IN', at);
  const sides = matchLogField([operand, bound.columnValue(column)], at);
  const [left = operand, right = operand] = callByName('$=', sides, at).args;
  const { newColumn } = scope.statement;
  const typed = castColumns(query, [right.type], { newColumn, at });
  if (['ARRAY', 'JSON', 'STRUCT'].includes(left.type.kind)) return inArray(left, typed, at);
  const numbers = mayBeNan(left) ? withoutNan(typed, { scope, at }) : typed;
  return { kind: 'subquery', form: 'IN', operand: left, query: numbers, type: scalar('BOOL') };
}

/** DuckDB's IN considers NULLs inside structs equal, so the values are compared with `=` instead. */
function inArray(left: bound.Expression, query: bound.Query, at: number): bound.Expression {
  const type = arrayType(left.type);
  return callByName('$IN UNNEST', [left, { kind: 'subquery', form: 'ARRAY', query, type }], at);
}

/** Drops NaN, which DuckDB's IN considers equal to itself. */
function withoutNan(query: bound.Query, { scope, at }: Context): bound.Query {
  const { newColumn } = scope.statement;
  const columns = query.columns.map(({ name, type }): bound.Column => newColumn(name, type));
  const values = columns.map(bound.columnValue);
  const where = callByName('$NOT', [callByName('is_nan', values, at)], at);
  const isNull = values.map((of) => ({ kind: 'is-null', of, type: scalar('BOOL') }) as const);
  const items = values.map((value) => ({ column: newColumn('', value.type), value }));
  const either = callByName('$OR', [...isNull, where], at);
  return bound.selectQuery(items, { kind: 'derived', query, columns }, { at, where: either });
}
