import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import type { Field } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { plain } from '../bound/coerce.js';
import { notGroupable } from '../bound/comparable.js';
import { hasWindow } from '../bound/search.js';
import { checkValueSize } from '../bound/size.js';
import { conjunctionCall } from '../functions/match-call.js';
import type * as tree from '../syntax/tree.js';
import { resolveCondition } from './resolve-clause.js';
import { impliedName } from './resolve-constructor.js';
import { resolveExpression } from './resolve-expression.js';
import { emptyFrom, resolveFrom } from './resolve-from.js';
import { regrouper, resolveGrouping } from './resolve-grouping.js';
import { expandStar, outputItem } from './resolve-star.js';
import { noAggregates, type Scope, type SelectedItem } from './scope.js';

/**
 * Resolves a SELECT block: FROM, WHERE, items, GROUP BY, HAVING, in the order in which names come
 * into scope.
 * @returns the block, and the function that resolves the keys of its ORDER BY
 * @throws QueryFault for any error in the block
 */
export function resolveSelect(node: tree.Select, outer: Scope) {
  if (node.from === undefined) refuseClauses(node);
  refuseColumns(node);
  const resolved = node.from === undefined ? emptyFrom : resolveFrom(node.from, outer);
  const from: Scope = { ...outer, ranges: resolved.ranges };
  const own = node.where && resolveCondition(node.where, { ...from, clause: 'WHERE clause' });
  const where = conjunctionCall([...(resolved.where ?? []), ...(own ? [own] : [])], node.at);
  const aggregates = noAggregates(from);
  const inner: Scope = { ...from, aggregates, windows: namedWindows(node.windows) };
  const items = resolveItems(node, inner);
  const aliased: Scope = { ...inner, aliases: itemAliases(items) };
  const { having, qualify } = resolveFilters(node, items, aliased);
  const grouping = resolveGrouping(node, items, { from, aggregates });
  const regroup = regrouper(grouping, resolved.ranges);
  const all = items.map((item) => ({ ...item, value: regroup(item.value, item.at) }));
  const output = outputItems(node, all, outer);
  const select: bound.Select = {
    kind: 'select',
    distinct: node.distinct,
    items: output,
    from: resolved.from,
    ...(where && { where }),
    ...(grouping && { grouping }),
    ...(having && { having: regroup(having, node.having?.at ?? 0) }),
    ...(qualify && { qualify: regroup(qualify, node.qualify?.at ?? 0) }),
    columns: output.map(({ column }) => column),
    isValue: node.as !== undefined,
  };
  const orderKey = (key: tree.Expression) => {
    const value = resolveExpression(key, aliased);
    if (grouping !== undefined || aggregates.items.length === 0) return regroup(value, key.at);
    const message = 'Aggregate function not allowed in ORDER BY of a query that does not aggregate';
    throw new QueryFault(message, key.at);
  };
  return { select, orderKey };
}

/** The named windows, by name in lower case. */
export function namedWindows(windows: tree.Select['windows']): NonNullable<Scope['windows']> {
  return new Map(windows.map(({ name, spec }) => [name.name.toLowerCase(), spec]));
}

/** HAVING and QUALIFY, which can use the aliases of the SELECT list; only QUALIFY allows window functions. */
function resolveFilters(node: tree.Select, items: readonly SelectedItem[], scope: Scope) {
  const { windows: _, ...noWindows } = scope;
  const having =
    node.having && resolveCondition(node.having, { ...noWindows, clause: 'HAVING clause' });
  const qualify =
    node.qualify && resolveCondition(node.qualify, { ...scope, clause: 'QUALIFY clause' });
  if (qualify && ![qualify, ...items.map(({ value }) => value)].some(hasWindow)) {
    const message = 'The QUALIFY clause requires analytic function to be present';
    throw new QueryFault(message, node.qualify?.at ?? node.at);
  }
  return { having, qualify };
}

/** Refuses the clauses of a SELECT without FROM, which has a single row and nothing to filter, group or order. */
function refuseClauses(node: tree.Select): void {
  const { where, groupBy, having, qualify } = node;
  if (where !== undefined) throw needsFrom('have a WHERE clause', where);
  if (groupBy !== undefined) throw needsFrom('have a GROUP BY clause', groupBy);
  if (having !== undefined) throw needsFrom('have a HAVING clause', having);
  if (qualify !== undefined) throw needsFrom('have a QUALIFY clause', qualify);
  if (node.distinct) throw needsFrom('use SELECT DISTINCT', node);
}

/** Returns the error for a SELECT block without FROM; `what` says what the query cannot do. */
export function needsFrom(what: string, { at }: { readonly at: number }): QueryFault {
  return new QueryFault(`Query without FROM clause cannot ${what}`, at);
}

function refuseColumns(node: SelectList): void {
  if (node.as === 'VALUE' && node.items.length !== 1) {
    throw new QueryFault('SELECT AS VALUE query must have exactly one column', node.at);
  }
}

/** The parts of a SELECT block that belong to its list. */
type SelectList = tree.SelectList & Pick<tree.Select, 'at'>;

/**
 * Resolves a SELECT list alone, for a pipe operator.
 * @throws QueryFault for any error in the list
 */
export function resolveSelectList(node: SelectList, scope: Scope): readonly bound.Item[] {
  refuseColumns(node);
  return outputItems(node, resolveItems(node, scope), scope);
}

function outputItems(
  node: SelectList,
  all: readonly SelectedItem[],
  scope: Scope,
): readonly bound.Item[] {
  const items = node.as === 'STRUCT' ? asStruct(all, node.at) : all;
  return items.map((item, index) => {
    const { name, value, at } = item;
    const part = node.distinct ? notGroupable(value.type) : undefined;
    if (part === undefined) return outputItem(item, scope);
    const message = `Column ${shortName(name) || index + 1} of type ${part} cannot be used in SELECT DISTINCT`;
    throw new QueryFault(message, at);
  });
}

function resolveItems(node: SelectList, scope: Scope): readonly SelectedItem[] {
  const items = node.items.flatMap((item) => resolveItem(item, scope));
  if (items.length > 0) return items;
  const hasExcept = node.items.some((item) => item.kind === 'star' && item.except.length > 0);
  const reason = hasExcept ? ' after applying EXCEPT' : ': no record has a field';
  throw new QueryFault(`SELECT * expands to zero columns${reason}`, node.at);
}

function resolveItem(item: tree.Select['items'][number], scope: Scope): readonly SelectedItem[] {
  if (item.kind === 'star') return expandStar(item, scope);
  const value = resolveExpression(item.value, scope);
  return [{ name: item.alias?.name ?? impliedName(item.value), value, at: item.at }];
}

/** SELECT AS STRUCT: the items become the fields of one value. */
function asStruct(items: readonly SelectedItem[], at: number): readonly SelectedItem[] {
  const values = items.map(({ value }) => plain(value));
  const fields = items.map(({ name, value, undeclared }): Field => {
    return { name, type: plain(value).type, stored: true, ...(undeclared && { undeclared }) };
  });
  const type = { kind: 'STRUCT', fields } as const;
  return [{ name: '', value: checkValueSize({ kind: 'struct', values, type }, at), at }];
}

/** The aliases, which take precedence over columns; if two items have the same name, the later one counts. */
function itemAliases(items: readonly SelectedItem[]): ReadonlyMap<string, bound.Expression> {
  const named = items.filter(({ name }) => name !== '');
  return new Map(named.map(({ name, value }) => [name.toLowerCase(), value]));
}
