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
import {
  binaryNode,
  callNode,
  nullNode,
  queryNode,
  quotedName,
  selectNode,
  starNode,
} from '../syntax/make-nodes.js';
import type * as tree from '../syntax/tree.js';
import { resolveExpression } from './resolve-expression.js';
import { expandStar } from './resolve-star.js';
import { noAggregates, type ResolvedFrom, type Scope } from './scope.js';

/**
 * Resolves PIVOT as a block that groups by the columns that PIVOT does not read:
 * `t pivot (sum(n) as s for c in ('x'))` ->
 * `(select * except (n, c), sum(if(c is not distinct from 'x', n, null)) as s_x from t group by all)`
 * @throws QueryFault for a call that is not an aggregate of one argument that ignores NULL, for a value
 * that is not constant or needs an alias, and for a value table
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#pivot_operator
 */
export function resolvePivot(node: tree.Pivot, input: ResolvedFrom, around: Scope): bound.Query {
  const { aggregates, at } = node;
  if (input.ranges.some(({ element }) => element !== undefined)) {
    throw new QueryFault('PIVOT is not allowed on value tables', at);
  }
  for (const aggregate of aggregates) checkAggregate(aggregate, aggregates.length > 1);
  const scope = { ...around, ranges: input.ranges, clause: 'PIVOT clause' };
  const column = inputColumn(node, scope);
  const columns = node.values.flatMap((value) => {
    const wanted = inputValue(value, column, scope);
    return aggregates.map((aggregate) => {
      const isWhole = aggregate.alias === undefined;
      const name = value.alias?.name ?? pivotName(wanted, isWhole, value.value.at);
      // NULL matches NULL, and NaN matches NaN.
      const test = binaryNode('IS NOT DISTINCT FROM', node.column, value.value);
      return pivotItem(aggregate, { ...test, at: value.value.at }, name);
    });
  });
  const items = [unreadColumns(node, scope), ...columns];
  const groupBy = { all: true, items: [], at };
  const select = selectNode({ items, from: { kind: 'piped', at }, groupBy, at });
  return around.statement.resolveQuery(queryNode(select), { ...around, piped: input });
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
  { value: node }: tree.AliasedValue,
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
  const star = starNode(at);
  const except = expandStar(star, scope)
    .filter(({ value }) => read.has(fingerprint(value)))
    .map(({ name }) => quotedName(name, at));
  return { ...star, except };
}

function pivotItem(
  { value, alias }: tree.PivotAggregate,
  test: tree.Expression,
  name: string,
): tree.SelectItem {
  const { at } = value;
  const whole = alias === undefined ? name : `${alias.name}_${name}`;
  checkName({ name: whole, at });
  return { kind: 'item', value: aggregateWhere(value, test), alias: quotedName(whole, at), at };
}

/** Restricts an aggregate to rows that pass the test: other rows contribute NULL, which it ignores. */
function aggregateWhere(node: tree.Call, test: tree.Expression): tree.Call {
  const [first] = node.arguments;
  const { at } = node;
  if (first === undefined) return node;
  if (first.value.kind === 'star' && node.path.at(-1)?.name.toLowerCase() === 'count') {
    return { ...node, path: [quotedName('countif', at)], arguments: [{ value: test }] };
  }
  const value = callNode('if', [test, first.value, nullNode(at)], at);
  return { ...node, arguments: [{ ...first, value }] };
}

/**
 * The part of a pivot column's name that comes from a value without an alias; `isWhole` if the name has
 * no prefix. `1.5` -> `_1_point_5` or `1_point_5`, `-1` -> `minus_1`, `date '2026-03-01'` ->
 * `_2026_03_01` or `2026_03_01`.
 * @throws QueryFault for a value that needs an alias
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#pivot_operator
 */
function pivotName(value: bound.Expression, isWhole: boolean, at: number): string {
  const name = valueName(value, at);
  if (name === emptyText) return isWhole ? name.slice(1) : name;
  return isWhole && startsWithDigit(value) ? `_${name}` : name;
}

/** The name of the empty string, as BigQuery writes it within a longer name. */
const emptyText = '_empty_string_value';

/** Whether the name would begin with the digit of a number or a date; strings stay as they are. */
function startsWithDigit(value: bound.Expression): boolean {
  if (value.kind === 'struct') {
    const [first] = value.values;
    return first !== undefined && !value.type.fields[0]?.name && startsWithDigit(first);
  }
  const isText = value.type.kind === 'STRING';
  return value.kind === 'literal' && !isText && /^\d/.test(value.value ?? '');
}

function valueName(value: bound.Expression, at: number): string {
  if (value.kind === 'struct') {
    const { fields } = value.type;
    const parts = value.values.map((part, i) => [fields[i]?.name ?? '', valueName(part, at)]);
    return parts.flatMap(([field, name]) => (field === '' ? [name] : [field, name])).join('_');
  }
  if (value.kind !== 'literal') {
    const message =
      'Generating an implicit alias for this PIVOT value is not supported; please provide an explicit alias';
    throw new QueryFault(message, at);
  }
  if (value.value === null) return 'NULL';
  const name = literalNames.get(value.type.kind)?.(value.value);
  if (name !== undefined) return name;
  throw new QueryFault(`PIVOT values of type ${value.type.kind} must specify an alias`, at);
}

type LiteralName = (value: string) => string;

const numberName: LiteralName = (value) => {
  const short = value.includes('.') ? value.replace(/\.?0+$/, '') : value;
  return short.replace('-', 'minus_').replace('.', '_point_');
};

/** The functions that name a literal, by its type; their argument is its value in the notation of the bound tree. */
const literalNames: ReadonlyMap<string, LiteralName> = new Map([
  ...['INT64', 'NUMERIC', 'BIGNUMERIC'].map((kind) => [kind, numberName] as const),
  ['BOOL', (value) => value.toLowerCase()],
  ['STRING', (value) => value || emptyText],
  ['DATE', (value) => value.replaceAll('-', '_')],
]);
