import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import * as bound from '../bound/bound.js';
import { notGroupable } from '../bound/comparable.js';
import { fingerprint } from '../bound/fingerprint.js';
import { mapExpression } from '../bound/map-expression.js';
import { hasWindow, readsColumns } from '../bound/search.js';
import { expandGroupingSets } from '../syntax/grouping-sets.js';
import type { Expression, GroupBy, Select } from '../syntax/tree.js';
import { resolveExpression } from './resolve-expression.js';
import { type Aggregates, columnIds, type Range, type Scope, type SelectedItem } from './scope.js';

/** The block being grouped. */
interface Block {
  /** The scope of FROM, in which keys are resolved. */
  readonly from: Scope;
  readonly aggregates: Aggregates;
}

/**
 * The keys and aggregates of a block; undefined if it does not group. A key may be the name or the
 * number (from 1) of a select item.
 * @throws QueryFault for an invalid key
 */
export function resolveGrouping(
  node: Select,
  items: readonly SelectedItem[],
  { from, aggregates }: Block,
): bound.Grouping | undefined {
  if (node.groupBy === undefined) {
    if (aggregates.items.length === 0 && node.having === undefined) return undefined;
    return { keys: [], aggregates: aggregates.items };
  }
  const { groupBy } = node;
  const sets = groupBy.all
    ? [items.map(({ value }) => value).filter((value) => isKey(value, aggregates))]
    : groupingSets(groupBy, (key) => keyValue(key, items, { from, aggregates }));
  const keys = new Map(sets.flat().map((value) => [fingerprint(value), value]));
  const fingerprints = [...keys.keys()];
  return {
    keys: [...keys].map(([key, value]): bound.Item => {
      const part = notGroupable(value.type);
      if (part === undefined) return { column: from.statement.newColumn(key, value.type), value };
      const message = `Grouping by expressions of type ${part} is not allowed`;
      throw new QueryFault(message, groupBy.at);
    }),
    ...(sets.length > 1 && {
      sets: sets.map((set) => set.map((value) => fingerprints.indexOf(fingerprint(value)))),
    }),
    aggregates: aggregates.items,
  };
}

/** The grouping sets of a single item such as ROLLUP, or one set of all keys. */
function groupingSets(
  { items }: GroupBy,
  resolve: (key: Expression) => bound.Expression,
): readonly (readonly bound.Expression[])[] {
  const [first] = items;
  if (first !== undefined && first.kind !== 'key') {
    return expandGroupingSets(first).map((set) => set.map(resolve));
  }
  return [items.flatMap((item) => (item.kind === 'key' ? [resolve(item.value)] : []))];
}

/** Whether a select item can be a key. */
function isKey(value: bound.Expression, { items }: Aggregates): boolean {
  const ids = new Set(items.map(({ column }) => column.id));
  return !readsColumns(value, ids) && !hasWindow(value);
}

function keyValue(
  node: Expression,
  items: readonly SelectedItem[],
  block: Block,
): bound.Expression {
  const item = keyItem(node, items, 'GROUP BY');
  if (item === undefined) {
    if (isConstant(node)) throw new QueryFault('Cannot GROUP BY literal values', node.at);
    return resolveExpression(node, { ...block.from, clause: 'GROUP BY clause' });
  }
  if (isKey(item.value, block.aggregates)) return item.value;
  const name = shortName(item.name) || 'expression';
  const what = hasWindow(item.value) ? 'analytic' : 'aggregation';
  const message = `Column ${name} contains an ${what} function, which is not allowed in GROUP BY`;
  throw new QueryFault(message, node.at);
}

/** Whether an expression consists of literals only. */
function isConstant(node: Expression): boolean {
  if (node.kind === 'literal' || node.kind === 'typed-literal') return true;
  if (node.kind === 'unary') return node.operator !== 'NOT' && isConstant(node.operand);
  if (node.kind === 'array') return node.elements.every(isConstant);
  return node.kind === 'struct' && node.fields.every(({ value }) => isConstant(value));
}

/** A select item that a key of GROUP BY or ORDER BY may refer to. */
export type NamedItem = Pick<SelectedItem, 'name' | 'value'>;

/**
 * The select item that a key of GROUP BY or ORDER BY refers to by name or number; undefined if the
 * key is another expression.
 * @throws QueryFault for a number out of range or an ambiguous name
 */
export function keyItem(
  node: Expression,
  items: readonly NamedItem[],
  clause: 'GROUP BY' | 'ORDER BY',
): NamedItem | undefined {
  if (node.kind === 'literal' && node.type === 'INT64') {
    const item = items[Number(node.value) - 1];
    if (item !== undefined) return item;
    const message = `${clause} is out of SELECT column number range: ${node.value}`;
    throw new QueryFault(message, node.at);
  }
  const [name, field] = node.kind === 'path' ? node.parts : [];
  if (name === undefined || field !== undefined) return undefined;
  const named = byName(items).get(name.name.toLowerCase()) ?? [];
  if (new Set(named.map(({ value }) => fingerprint(value))).size <= 1) return named[0];
  const message =
    clause === 'ORDER BY'
      ? `Column name ${name.name} is ambiguous`
      : `Name ${name.name} in GROUP BY clause is ambiguous; it may refer to multiple columns in the SELECT-list`;
  throw new QueryFault(message, node.at);
}

/** Cached, because every key looks up the items by name. */
const indexes = new WeakMap<readonly NamedItem[], ReadonlyMap<string, readonly NamedItem[]>>();

/** The items by name in lower case. */
function byName(items: readonly NamedItem[]): ReadonlyMap<string, readonly NamedItem[]> {
  const cached = indexes.get(items);
  if (cached !== undefined) return cached;
  const index = new Map<string, NamedItem[]>();
  for (const item of items) {
    const name = item.name.toLowerCase();
    const same = index.get(name);
    if (same === undefined) index.set(name, [item]);
    else same.push(item);
  }
  indexes.set(items, index);
  return index;
}

/** Replaces grouping keys in an expression by their columns. */
export type Regroup = (value: bound.Expression, at: number) => bound.Expression;

/**
 * Rewrites expressions evaluated after GROUP BY, which may read only keys and aggregates.
 * Without grouping, expressions stay as they are. `ranges` are the ranges of FROM.
 */
export function regrouper(grouping: bound.Grouping | undefined, ranges: readonly Range[]): Regroup {
  if (grouping === undefined) return (value) => value;
  const keys = new Map(grouping.keys.map(({ column, value }) => [fingerprint(value), column]));
  const columns = new Set(ranges.flatMap(columnIds));
  return (value, at) =>
    mapExpression(value, (inner) => {
      const key = keys.size === 0 ? undefined : keys.get(fingerprint(inner));
      if (key !== undefined) return bound.columnValue(key);
      const part = partOfKey(inner, keys);
      if (part === undefined) refuseUngrouped(inner, columns, at);
      return part;
    });
}

/**
 * Rewrites a field of a key, or an array that is a key, in which NULL becomes the empty array; undefined for others.
 */
function partOfKey(
  inner: bound.Expression,
  keys: ReadonlyMap<string, bound.Column>,
): bound.Expression | undefined {
  const hasOwner = inner.kind === 'plain' && inner.owner !== undefined;
  if (keys.size === 0 || (inner.kind !== 'field' && !hasOwner)) return undefined;
  const key = keys.get(fingerprint(inner.of));
  if (key === undefined) return undefined;
  const of = bound.columnValue(key);
  if (inner.kind === 'field') return { ...inner, of };
  const { owner: _, ...array } = inner;
  return { ...array, of };
}

/** @throws QueryFault for a column of FROM, or a field of one */
function refuseUngrouped(inner: bound.Expression, columns: ReadonlySet<number>, at: number): void {
  const base = inner.kind === 'field' ? inner.of : inner;
  if (base.kind !== 'column' || !columns.has(base.column.id)) return;
  const name = inner.kind === 'field' ? inner.name : base.column.name;
  const message = `Expression references column ${shortName(name)} which is neither grouped nor aggregated`;
  throw new QueryFault(message, at);
}
