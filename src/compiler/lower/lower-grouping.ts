import { QueryFault } from '../../errors/query-fault.js';
import type { BoundExpression, BoundGrouping, BoundItem } from '../bound/bound.js';
import { fingerprint } from '../bound/fingerprint.js';
import { hasSubquery, someExpression } from '../bound/map-expression.js';
import {
  call,
  type DuckExpression,
  type DuckFrom,
  type DuckSelect,
  integer,
} from '../duckdb-sql/duckdb-sql.js';
import { definitionOf } from '../functions/functions.js';
import { lowerCallOn, lowerExpression } from './lower-expression.js';
import type { Lowering } from './lowering.js';
import { type Relation, seal } from './relation.js';

/**
 * Keys and aggregates in a block of their own, so that what stands behind reads only them. Where an
 * argument reads nothing of the block, as in `(select max(r.path) from unnest(t.request) r)`, it is
 * made a column of it first: to DuckDB the aggregate would belong to the query around. So are keys of
 * several sets that come to the same, which DuckDB would take for one.
 */
export function lowerGrouping(
  grouping: BoundGrouping,
  rows: Relation,
  lowering: Lowering,
): Relation {
  const { keys, aggregates, sets } = grouping;
  const items = [...keys, ...aggregates];
  if (items.length === 0) return wholeGroup(rows, lowering);
  const isSealed =
    aggregates.some(isInSubquery) ||
    readsOutside(items, rows, lowering) ||
    (sets !== undefined && !areUnlike(keys, lowering));
  const lower = isSealed ? sealedValues : ownValues;
  const { values: lowered, relation } = lower(items, rows, lowering);
  const values = lowered.map((value, place) => groupingOfKey(place, grouping, lowered) ?? value);
  const names = items.map(
    (_, place) => `${place < keys.length ? 'key' : 'aggregate'}_${place + 1}`,
  );
  const body: DuckSelect = {
    kind: 'select',
    distinct: false,
    items: values.map((value, place) => ({ name: names[place] ?? '', value })),
    ...(relation.from === undefined ? {} : { from: relation.from }),
    where: relation.where,
    groupKeys: keys.length,
    ...(sets === undefined ? {} : { groupSets: sets }),
  };
  const alias = lowering.newAlias();
  for (const [place, { column }] of items.entries()) {
    lowering.columns.set(column.id, { kind: 'column', table: alias, name: names[place] ?? '' });
  }
  const from = { kind: 'derived', query: { ctes: [], body, orderBy: [] }, alias } as const;
  return { from, where: [], columns: items.map(({ column }) => column) };
}

/** `GROUPING(x)` of the key that it means, written as that one is; undefined for any other item. */
function groupingOfKey(
  place: number,
  { keys, aggregates }: BoundGrouping,
  lowered: readonly DuckExpression[],
): DuckExpression | undefined {
  const value = aggregates[place - keys.length]?.value;
  if (value?.kind !== 'call' || value.function.name !== 'grouping') return undefined;
  const [arg] = value.args;
  const wanted = arg && fingerprint(arg);
  const key = lowered[keys.findIndex((item) => fingerprint(item.value) === wanted)];
  if (key !== undefined) return call('grouping', key);
  const message = 'GROUPING must have an argument that exists within the group-by expression list';
  throw new QueryFault(message, value.at);
}

/** A key's value, or an aggregate's arguments. */
function partsOf(value: BoundExpression): readonly BoundExpression[] {
  return value.kind === 'call' && value.clauses !== undefined ? value.args : [value];
}

/** Whether some part reads columns, and none of them of the block's own tables. */
function readsOutside(items: readonly BoundItem[], rows: Relation, lowering: Lowering): boolean {
  const own = new Set(rows.from === undefined ? [] : aliasesOf(rows.from));
  return items
    .flatMap(({ value }) => partsOf(value))
    .some((part) => {
      const tables = tablesRead(part, lowering);
      return tables.length > 0 && !tables.some((table) => own.has(table));
    });
}

/** Whether what an aggregate is written as holds a sub-select: the engine would gather in it what reads no column. */
function isInSubquery({ value }: BoundItem): boolean {
  return value.kind === 'call' && definitionOf(value).holdsQuery;
}

/**
 * The tables of a part's columns; it has to be lowered to know those of a sub-select in it, and what
 * of it is not taken.
 */
function tablesRead(part: BoundExpression, lowering: Lowering): readonly string[] {
  if (hasSubquery(part) || lowering.known.size > 0) {
    return tablesOf(lowerExpression(part, lowering.trial(lowering)));
  }
  const written: unknown[] = [];
  someExpression(part, (one) => {
    if (one.kind === 'column') written.push(lowering.columns.get(one.column.id));
    return false;
  });
  return written.flatMap(tablesOf);
}

function aliasesOf(from: DuckFrom): readonly string[] {
  return from.kind === 'join' ? [...aliasesOf(from.left), ...aliasesOf(from.right)] : [from.alias];
}

function tablesOf(node: unknown): readonly string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { kind, table } = node as { readonly kind?: unknown; readonly table?: unknown };
  if (kind === 'column' && typeof table === 'string') return [table];
  return Object.values(node).flatMap(tablesOf);
}

function ownValues(items: readonly BoundItem[], relation: Relation, lowering: Lowering) {
  return { values: items.map(({ value }) => lowerExpression(value, lowering)), relation };
}

/** Whether the keys are written differently: two that differ may come to one column. */
function areUnlike(keys: readonly BoundItem[], lowering: Lowering): boolean {
  const written = keys.map(({ value }) => lowerExpression(value, lowering.trial(lowering)));
  return new Set(written.map((key) => JSON.stringify(key))).size === keys.length;
}

function sealedValues(items: readonly BoundItem[], rows: Relation, lowering: Lowering) {
  const parts = items.map(({ value }, item) =>
    partsOf(value).map((part, place) => ({
      name: `part_${item + 1}_${place + 1}`,
      value: lowerExpression(part, lowering),
      isConstant: place > 0 && (part.kind === 'literal' || part.kind === 'parameter'),
    })),
  );
  const computed = parts.flat().filter(({ isConstant }) => !isConstant);
  const { alias, relation } = seal(rows, lowering, { items: computed });
  const values = items.map(({ value }, item): DuckExpression => {
    // A separator or a count must stay the constant that it is.
    const args = (parts[item] ?? []).map(
      (part): DuckExpression =>
        part.isConstant ? part.value : { kind: 'column', table: alias, name: part.name },
    );
    const isAggregate = value.kind === 'call' && value.clauses !== undefined;
    return isAggregate ? lowerCallOn(value, args, lowering) : (args[0] ?? integer(1));
  });
  return { values, relation };
}

/** HAVING without keys and aggregates: one row, whatever there is to group. */
function wholeGroup(rows: Relation, lowering: Lowering): Relation {
  const count = call('count', integer(1));
  const items = [{ name: 'rows', value: count }];
  return seal({ ...rows, columns: [] }, lowering, { items }).relation;
}
