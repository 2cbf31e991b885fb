import { QueryFault } from '../../errors/query-fault.js';
import { shortTypeName } from '../../types/types.js';
import * as bound from '../bound/bound.js';
import { coerce, coercionCost } from '../bound/coerce.js';
import { notGroupable } from '../bound/comparable.js';
import { fingerprint } from '../bound/fingerprint.js';
import { someExpression } from '../bound/search.js';
import { findCalledFunction } from '../functions/find-function.js';
import { title } from '../functions/print-signature.js';
import { checkName } from '../syntax/check-name.js';
import { callOf, quotedName, selectNode } from '../syntax/make-nodes.js';
import type * as tree from '../syntax/tree.js';
import { pivotName } from './pivot-name.js';
import { resolveExpression } from './resolve-expression.js';
import { resolveFrom } from './resolve-from.js';
import { resolveSelect } from './resolve-select.js';
import { expandStar } from './resolve-star.js';
import { noAggregates, type Scope } from './scope.js';

/**
 * Resolves PIVOT as a block that groups by the columns that PIVOT does not read:
 * `t pivot (sum(n) as s for c in ('x'))` ->
 * `(select * except (n, c), sum(if(c is not distinct from 'x', n, null)) as s_x from t group by all)`
 * @throws QueryFault for a call that is not an aggregate of one argument that ignores NULL, for a value
 * that is not constant or needs an alias, and for a value table
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#pivot_operator
 */
export function resolvePivot(node: tree.Pivot, around: Scope): bound.Query {
  const { aggregates, at } = node;
  const resolved = resolveFrom(node.input, around);
  if (resolved.ranges.some(({ element }) => element !== undefined)) {
    throw new QueryFault('PIVOT is not allowed on value tables', at);
  }
  for (const aggregate of aggregates) checkAggregate(aggregate, aggregates.length > 1);
  const scope = { ...around, ranges: resolved.ranges, clause: 'PIVOT clause' };
  const column = inputColumn(node, scope);
  const columns = node.values.flatMap((value) => {
    const input = inputValue(value, column, scope);
    return aggregates.map((aggregate) => {
      const name = value.alias?.name ?? pivotName(input, aggregate.alias === undefined, value);
      return itemOf(aggregate, sameAs(node.column, value.value), name);
    });
  });
  const items = [unreadColumns(node, scope), ...columns];
  const select = selectNode({ items, groupBy: { all: true, items: [], at }, at });
  return bound.queryOf(resolveSelect(select, around, resolved).select, false, at);
}

/** Functions of one argument that ignore NULL only with IGNORE NULLS. */
const keepsNulls: ReadonlySet<string> = new Set(['array_agg']);

function checkAggregate({ value, alias }: tree.PivotAggregate, isOneOfMany: boolean): void {
  const { definition, safe } = findCalledFunction(value);
  const fail = (message: string) => new QueryFault(message, value.at);
  if (definition.kind !== 'aggregate' || safe || value.over !== undefined) {
    throw fail('PIVOT expression must be an aggregate function call');
  }
  const name = title(definition.name);
  if (value.arguments.length !== 1) {
    throw fail(`PIVOT allows only aggregate functions of one argument, not this call of ${name}`);
  }
  if (value.having !== undefined) {
    throw fail(`HAVING ${value.having.kind} is not allowed in an aggregate function of PIVOT`);
  }
  if (keepsNulls.has(definition.name) && value.nulls !== 'IGNORE') {
    throw fail(`PIVOT allows only functions that ignore NULL: write ${name}(… IGNORE NULLS)`);
  }
  if (isOneOfMany && alias === undefined) {
    throw fail(
      'PIVOT expression must specify an alias unless it is the only pivot expression in the PIVOT clause',
    );
  }
}

function inputColumn({ column }: tree.Pivot, scope: Scope): bound.Expression {
  const value = resolveExpression(column, scope);
  const part = notGroupable(value.type);
  if (part === undefined) return value;
  throw new QueryFault(`PIVOT FOR expression of type ${part} is not groupable`, column.at);
}

/** Resolves a value of the IN list, converted to the column's type. */
function inputValue(
  { value: node }: tree.PivotValue,
  column: bound.Expression,
  scope: Scope,
): bound.Expression {
  const value = resolveExpression(node, { ...scope, ranges: [] });
  if (someExpression(value, ({ kind }) => kind === 'column' || kind === 'subquery')) {
    throw new QueryFault('IN expression in PIVOT clause must be constant', node.at);
  }
  if (coercionCost(value, column.type) !== undefined) return coerce(value, column.type, node.at);
  // The comparison with a log field converts the literal.
  if (bound.isLogField(column)) return value;
  const message = `PIVOT IN list item must be type ${shortTypeName(column.type)} to match the PIVOT FOR expression; found ${shortTypeName(value.type)}`;
  throw new QueryFault(message, node.at);
}

/** `*` without the columns that the clause reads. */
function unreadColumns({ aggregates, column, at }: tree.Pivot, scope: Scope): tree.SelectStar {
  const calls = noAggregates(scope);
  for (const { value } of aggregates) resolveExpression(value, { ...scope, aggregates: calls });
  const items: readonly { readonly value: bound.Expression }[] = calls.items;
  const read = new Set<string>();
  for (const value of [...items.map((item) => item.value), resolveExpression(column, scope)]) {
    someExpression(value, (part) => {
      read.add(fingerprint(part));
      return false;
    });
  }
  const star: tree.SelectStar = { kind: 'star', except: [], replace: [], at };
  const except = expandStar(star, scope)
    .filter(({ value }) => read.has(fingerprint(value)))
    .map(({ name }) => quotedName(name, at));
  return { ...star, except };
}

function itemOf(
  { value, alias }: tree.PivotAggregate,
  test: tree.Expression,
  name: string,
): tree.SelectItem {
  const { at } = value;
  const whole = alias === undefined ? name : `${alias.name}_${name}`;
  checkName({ name: whole, at });
  return {
    kind: 'item',
    value: aggregateWhere(value, test),
    alias: quotedName(whole, at),
    at,
  };
}

/** Restricts an aggregate to rows that pass the test: other rows contribute NULL, which it ignores. */
function aggregateWhere(node: tree.Call, test: tree.Expression): tree.Call {
  const [first] = node.arguments;
  const { at } = node;
  if (first === undefined) return node;
  if (first.value.kind === 'star' && node.path.at(-1)?.name.toLowerCase() === 'count') {
    return { ...node, path: [quotedName('countif', at)], arguments: [{ value: test }] };
  }
  const nothing: tree.Expression = { kind: 'literal', type: 'NULL', value: 'NULL', at };
  const value = callOf('if', [test, first.value, nothing], at);
  return { ...node, arguments: [{ ...first, value }] };
}

/** A comparison in which NULL matches NULL, and NaN matches NaN. */
function sameAs(left: tree.Expression, right: tree.Expression): tree.Expression {
  return { kind: 'binary', operator: 'IS NOT DISTINCT FROM', left, right, at: right.at };
}
