import {
  type BoundExpression,
  type BoundGrouping,
  type BoundItem,
  fingerprint,
  mapExpression,
} from './bound.js';
import { QueryFault } from './fault.js';
import { resolveExpression } from './resolve-expression.js';
import type { Source } from './resolve-from.js';
import type { Item } from './resolve-select.js';
import { type Aggregates, columnValue, type Range, type Scope } from './scope.js';
import type { Select } from './tree.js';
import type { Expression } from './tree-expression.js';

interface Block {
  /** The names of FROM, in which keys are read. */
  readonly from: Scope;
  readonly aggregates: Aggregates;
}

/**
 * The keys and aggregates of a block that groups; undefined where it does not. A key that is the
 * name of a select item means that item, and a number its place.
 * @throws QueryFault for a key that cannot be one
 */
export function groupingOf(
  node: Select,
  items: readonly Item[],
  { from, aggregates }: Block,
): BoundGrouping | undefined {
  if (node.groupBy === undefined) {
    if (aggregates.items.length === 0 && node.having === undefined) return undefined;
    return { keys: [], aggregates: aggregates.items };
  }
  const values = node.groupBy.all
    ? items.filter((item) => !readsAggregate(item.value, aggregates)).map((item) => item.value)
    : node.groupBy.items.map((item) => {
        if (item.kind === 'key') return keyValue(item.value, items, { from, aggregates });
        throw new QueryFault(`GROUP BY ${item.kind.toUpperCase()} is not supported yet`, item.at);
      });
  const keys = new Map(values.map((value) => [fingerprint(value), value]));
  return {
    keys: [...keys].map(([key, value]): BoundItem => {
      refuseKey(value, node.groupBy?.at ?? node.at);
      return { column: from.statement.newColumn(key, value.type), value };
    }),
    aggregates: aggregates.items,
  };
}

function keyValue(node: Expression, items: readonly Item[], block: Block): BoundExpression {
  const item = itemOf(node, items);
  if (item === undefined)
    return resolveExpression(node, { ...block.from, clause: 'GROUP BY clause' });
  if (!readsAggregate(item.value, block.aggregates)) return item.value;
  const name = item.name || 'expression';
  const message = `Column ${name} contains an aggregation function, which is not allowed in GROUP BY`;
  throw new QueryFault(message, node.at);
}

/**
 * The item that a GROUP BY or ORDER BY key names or counts.
 * @throws QueryFault for a place that the list does not have
 */
export function itemOf(node: Expression, items: readonly Item[]): Item | undefined {
  if (node.kind === 'literal' && node.type === 'INT64') {
    const item = items[Number(node.value) - 1];
    if (item !== undefined) return item;
    const message = `GROUP BY or ORDER BY is out of SELECT column number range: ${node.value}`;
    throw new QueryFault(message, node.at);
  }
  if (node.kind !== 'path' || node.parts.length !== 1) return undefined;
  const name = node.parts[0]?.name.toLowerCase();
  return items.find((item) => item.name.toLowerCase() === name);
}

function refuseKey({ type }: BoundExpression, at: number): void {
  if (!['ARRAY', 'STRUCT', 'JSON'].includes(type.kind)) return;
  throw new QueryFault(`Grouping by expressions of type ${type.kind} is not allowed`, at);
}

function readsAggregate(value: BoundExpression, aggregates: Aggregates): boolean {
  let found = false;
  mapExpression(value, (inner) => {
    if (inner.kind === 'column') {
      found ||= aggregates.items.some(({ column }) => column.id === inner.column.id);
    }
    return undefined;
  });
  return found;
}

/** Puts the keys' columns in place of the expressions that they stand for. */
export type Regroup = (value: BoundExpression, at: number) => BoundExpression;

/**
 * What behind GROUP BY may still be read: keys and aggregates; without grouping, everything.
 */
export function regrouper(grouping: BoundGrouping | undefined, source: Source): Regroup {
  if (grouping === undefined) return (value) => value;
  const keys = new Map(grouping.keys.map(({ column, value }) => [fingerprint(value), column]));
  const columns = new Set(source.ranges.flatMap(columnIds));
  return (value, at) =>
    mapExpression(value, (inner) => {
      const key = keys.get(fingerprint(inner));
      if (key !== undefined) return columnValue(key);
      if (inner.kind !== 'column' || !columns.has(inner.column.id)) return undefined;
      throw notGrouped(inner.column.name, at);
    });
}

function columnIds(range: Range): readonly number[] {
  const columns = range.element === undefined ? range.columns : [...range.columns, range.element];
  return columns.map((column) => column.id);
}

function notGrouped(name: string, at: number): QueryFault {
  const message = `Expression references column ${name} which is neither grouped nor aggregated`;
  return new QueryFault(message, at);
}
