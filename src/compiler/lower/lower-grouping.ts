import { QueryFault } from '../../errors/query-fault.js';
import type * as bound from '../bound/bound.js';
import { fingerprint } from '../bound/fingerprint.js';
import type { DuckExpression, DuckSelect } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { aliasesOf, someTable } from '../duckdb-sql/tables-of.js';
import { definitionOf } from '../functions/functions.js';
import { splitExtremes } from './extreme-rows.js';
import { hoistSubSelects } from './hoist-sub-selects.js';
import { lowerCallOf, lowerCallOn, lowerExpression, writtenParts } from './lower-expression.js';
import type { Lowering } from './lowering.js';
import { type Relation, wrapInSubquery } from './relation.js';

/**
 * Lowers keys and aggregates to a separate block; later clauses read only its columns. If an argument reads
 * no table of the block, as in `(select max(r.path) from unnest(t.request) r)`, all keys and arguments first
 * become columns of a sub-select, because DuckDB would assign the aggregate to the outer query. Identical
 * keys in grouping sets do so, too, because DuckDB would merge them.
 * `select f(k), max(a) from t group by k` ->
 * `select f(key_1), aggregate_2 from (select k as key_1, max(a) as aggregate_2 from t group by 1)`
 */
export function lowerGrouping(
  given: bound.Grouping,
  ungrouped: Relation,
  lowering: Lowering,
): Relation {
  const { grouping, computed } = splitExtremes(given, lowering);
  const relation = lowerBlock(grouping, ungrouped, lowering);
  if (computed.length === 0) return relation;
  for (const { column, value } of computed) {
    lowering.columns.set(column.id, lowerExpression(value, lowering));
  }
  const columns = [...given.keys, ...given.aggregates].map(({ column }) => column);
  return wrapInSubquery({ ...relation, columns }, lowering).relation;
}

function lowerBlock(given: bound.Grouping, ungrouped: Relation, lowering: Lowering): Relation {
  const { grouping, rows } = hoistSubSelects({ grouping: given, rows: ungrouped }, lowering);
  const { keys, aggregates, sets } = grouping;
  const items = [...keys, ...aggregates].map(({ value }) => lowerParts(value, lowering));
  if (items.length === 0) {
    // `GROUP BY ()` or HAVING alone: the count keeps the passes from dropping the row of each set.
    const number = { name: 'rows', value: d.call('count', d.integer(1)) };
    const from = groupedRows([number], { rows, sets, groupKeys: 0 }, lowering);
    return { from, where: [], columns: [] };
  }
  const wraps =
    items.some(holdsSubquery) ||
    readsOutside(items, rows) ||
    (sets !== undefined && !allDiffer(items.slice(0, keys.length)));
  const { values: lowered, relation } = wraps
    ? wrappedValues(items, rows, lowering)
    : { values: items.map((item) => itemValue(item, lowering)), relation: rows };
  const values = lowered.map((value, index) => groupingOfKey(index, grouping, lowered) ?? value);
  const names = items.map(
    (_, index) => `${index < keys.length ? 'key' : 'aggregate'}_${index + 1}`,
  );
  const named = values.map((value, index) => ({ name: names[index] ?? '', value }));
  const from = groupedRows(named, { rows: relation, sets, groupKeys: keys.length }, lowering);
  const columns = [...keys, ...aggregates].map(({ column }) => column);
  for (const [index, { id }] of columns.entries()) {
    lowering.columns.set(id, { kind: 'column', table: from.alias, name: names[index] ?? '' });
  }
  return { from, where: [], columns };
}

interface Groups {
  readonly rows: Relation;
  readonly sets: bound.Grouping['sets'];
  readonly groupKeys: number;
}

/** Groups the rows of a relation in a sub-select. */
function groupedRows(
  items: DuckSelect['items'],
  { rows: { from, where }, sets, groupKeys }: Groups,
  lowering: Lowering,
) {
  const { body } = d.selectFrom(items, from);
  const query = d.queryOf({ ...body, where, groupKeys, ...(sets && { groupSets: sets }) });
  return { kind: 'derived', query, alias: lowering.newAlias() } as const;
}

/** A key or an aggregate, with its parts lowered: the key itself, or the aggregate's arguments. */
interface Item {
  /** Undefined for a key. */
  readonly aggregate: bound.Call | undefined;
  readonly parts: readonly Part[];
}

interface Part {
  readonly value: DuckExpression;
  /** True for a separator or a count, which must stay a constant. */
  readonly isConstant: boolean;
}

function lowerParts(value: bound.Expression, lowering: Lowering): Item {
  const aggregate = value.kind === 'call' && value.clauses !== undefined ? value : undefined;
  const parts = (aggregate?.args ?? [value]).map((part, index): Part => {
    const isConstant = index > 0 && (part.kind === 'literal' || part.kind === 'parameter');
    return { value: lowerExpression(part, lowering), isConstant };
  });
  return { aggregate, parts };
}

/** `GROUPING(x)` over the key that it refers to; undefined for any other item. */
function groupingOfKey(
  index: number,
  { keys, aggregates }: bound.Grouping,
  lowered: readonly DuckExpression[],
): DuckExpression | undefined {
  const value = aggregates[index - keys.length]?.value;
  if (value?.kind !== 'call' || value.function.name !== 'grouping') return undefined;
  const [arg] = value.args;
  const wanted = arg && fingerprint(arg);
  const key = lowered[keys.findIndex((item) => fingerprint(item.value) === wanted)];
  if (key !== undefined) return d.call('grouping', key);
  const message = 'GROUPING must have an argument that exists within the group-by expression list';
  throw new QueryFault(message, value.at);
}

/** Whether a part reads columns, but no column of the block's own tables. */
function readsOutside(items: readonly Item[], { from }: Relation): boolean {
  const own = new Set(from === undefined ? [] : aliasesOf(from));
  const readsRow = (value: DuckExpression) => someTable(value, (table) => own.has(table));
  return items.some(({ parts }) =>
    parts.some(({ value }) => !readsRow(value) && someTable(value, () => true)),
  );
}

/** Whether an aggregate is emitted with a sub-select, in which DuckDB would aggregate arguments without columns. */
function holdsSubquery({ aggregate }: Item): boolean {
  return aggregate !== undefined && definitionOf(aggregate).holdsQuery;
}

/** Whether all lowered keys differ: different keys may become the same DuckDB expression. */
function allDiffer(keys: readonly Item[]): boolean {
  const written = keys.map(({ parts }) => JSON.stringify(parts));
  return new Set(written).size === keys.length;
}

function itemValue({ aggregate, parts }: Item, lowering: Lowering): DuckExpression {
  const values = parts.map(({ value }) => value);
  if (aggregate === undefined) return values[0] ?? d.integer(1);
  lowering.countWritten(writtenParts(aggregate));
  return lowerCallOf(aggregate, values, lowering);
}

/** Moves the parts of items into columns of a sub-select, and returns the items' values over it. */
function wrappedValues(items: readonly Item[], rows: Relation, lowering: Lowering) {
  const named = items.map(({ parts }, item) =>
    parts.map((part, index) => ({ ...part, name: `part_${item + 1}_${index + 1}` })),
  );
  const computed = named.flat().filter(({ isConstant }) => !isConstant);
  const extra = computed.map(({ name, value }) => ({ name, value }));
  const { alias, relation } = wrapInSubquery(rows, lowering, extra);
  const values = items.map(({ aggregate }, item): DuckExpression => {
    const args = (named[item] ?? []).map(
      ({ isConstant, value, name }): DuckExpression =>
        isConstant ? value : { kind: 'column', table: alias, name },
    );
    return aggregate === undefined
      ? (args[0] ?? d.integer(1))
      : lowerCallOn(aggregate, args, lowering);
  });
  return { values, relation };
}
