import { QueryFault } from '../../errors/query-fault.js';
import * as bound from '../bound/bound.js';
import { isLiteralOrParameter } from '../bound/coerce.js';
import { fingerprint } from '../bound/fingerprint.js';
import { hasSubquery, isUnstable, someExpression } from '../bound/search.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { joinedAliases, someTable } from '../duckdb-sql/list-tables.js';
import { callDefinition } from '../functions/functions.js';
import { splitExtremes } from './extreme-rows.js';
import { lowerExpression, writeCall, writtenParts } from './lower-expression.js';
import type { Lowering } from './lowering.js';
import { newColumn, type Relation, wrapInSubquery } from './relation.js';

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
  // Sub-selects can be guarded only as columns of the rows: a grouped block cannot read the rows.
  let block = hoistInputs({ grouping: given, rows: ungrouped }, hasSubquery, lowering);
  let inputs = lowerInputs(block, lowering);
  if (mustWrap(block, inputs)) {
    block = hoistInputs({ ...block, inputs }, () => true, lowering);
    inputs = lowerInputs(block, lowering);
  }
  const { grouping, rows } = block;
  const { keys, aggregates, sets } = grouping;
  if (inputs.length === 0) {
    // `GROUP BY ()` or HAVING alone: the count keeps the passes from dropping the row of each set.
    const number = { name: 'rows', value: d.call('count', d.integer(1)) };
    const from = groupedRows([number], { rows, sets, groupKeys: 0 }, lowering);
    return { from, where: [], columns: [] };
  }
  const items = [...keys, ...aggregates];
  const values = items.map(({ value }, index) => itemValue(value, inputs[index] ?? [], lowering));
  const named = values.map((value, index) => ({
    name: `${index < keys.length ? 'key' : 'aggregate'}_${index + 1}`,
    value: groupingOfKey(index, grouping, values) ?? value,
  }));
  const from = groupedRows(named, { rows, sets, groupKeys: keys.length }, lowering);
  const columns = items.map(({ column }) => column);
  for (const [index, { id }] of columns.entries()) {
    lowering.columns.set(id, d.column(from.alias, named[index]?.name ?? ''));
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
  items: d.DuckSelect['items'],
  { rows: { from, where }, sets, groupKeys }: Groups,
  lowering: Lowering,
) {
  const query = d.selectFrom(items, from, { where, groupKeys, ...(sets && { groupSets: sets }) });
  return { kind: 'derived', query, alias: lowering.newAlias() } as const;
}

interface Block {
  readonly grouping: bound.Grouping;
  readonly rows: Relation;
  /** The inputs that {@link lowerInputs} returned for the block; they need not be lowered again. */
  readonly inputs?: Inputs;
}

/** The lowered inputs of each key and aggregate: the key itself, or the aggregate's arguments. */
type Inputs = readonly (readonly d.DuckExpression[])[];

/**
 * Computes the inputs (keys and aggregates' arguments) that pass a test as columns of the rows. Separators and counts stay
 * constants.
 * `select sum(if(a, (select f(b)), 0)) from t` -> `select sum(s.x) from (select if(a, (select f(b)), 0) as x from t) s`
 */
function hoistInputs(
  { grouping, rows, inputs = [] }: Block,
  test: (value: bound.Expression) => boolean,
  lowering: Lowering,
): Block {
  const columns: bound.Column[] = [];
  const hoist = (value: bound.Expression, known: Known, lowered?: d.DuckExpression) => {
    if (!test(value)) return value;
    const print = fingerprint(value);
    const hoisted = known.get(print);
    if (hoisted !== undefined) return hoisted;
    const column = newColumn(value.type, lowering, lowered ?? lowerExpression(value, lowering));
    columns.push(column);
    known.set(print, bound.columnValue(column));
    return bound.columnValue(column);
  };
  const ofKeys: Known = new Map();
  // The engine would merge equal keys of grouping sets.
  const keys = grouping.keys.map(({ column, value }, index) => {
    const key = hoist(value, new Map(), inputs[index]?.[0]);
    const print = fingerprint(value);
    ofKeys.set(print, ofKeys.get(print) ?? key);
    return { column, value: key };
  });
  const aggregates = grouping.aggregates.map(({ column, value }, index) => {
    const lowered = inputs[keys.length + index] ?? [];
    const knownFor = knownInputs(value, ofKeys);
    const map: MapOne = (input, place = -1) => hoist(input, knownFor(input), lowered[place]);
    return { column, value: mapInputs(value, map) };
  });
  if (columns.length === 0) return { grouping, rows };
  const all = { ...rows, columns: [...rows.columns, ...columns] };
  const { relation } = wrapInSubquery(all, lowering);
  return { grouping: { ...grouping, keys, aggregates }, rows: relation };
}

/** Columns by the fingerprint of their values. */
type Known = Map<string, bound.Expression>;

/**
 * Returns a function that finds the columns that an input of an aggregate may share. Each call of RAND is a value of its
 * own, but GROUPING must find its key, and DISTINCT can order only by its arguments.
 */
function knownInputs(value: bound.Expression, ofKeys: Known): (input: bound.Expression) => Known {
  const known = new Map(ofKeys);
  if (!isAggregate(value) || value.function.name === 'grouping') return () => known;
  const random = value.clauses?.distinct ? new Map() : undefined;
  return (input) => (someExpression(input, isUnstable) ? (random ?? new Map()) : known);
}

/** Maps an input; `place` is the index of an argument. */
type MapOne = (input: bound.Expression, place?: number) => bound.Expression;

function mapInputs(node: bound.Expression, map: MapOne): bound.Expression {
  if (node.kind !== 'call') return node;
  const mapMore: MapOne = (value, place) =>
    isLiteralOrParameter(value) ? value : map(value, place);
  const args = node.args.map((arg, index) => (index === 0 ? map(arg, 0) : mapMore(arg, index)));
  if (node.clauses === undefined) return { ...node, args };
  const { having, orderBy, ...clauses } = node.clauses;
  return {
    ...node,
    args,
    clauses: {
      ...clauses,
      orderBy: orderBy.map((key) => ({ ...key, value: mapMore(key.value) })),
      ...(having && { having: { ...having, value: map(having.value) } }),
    },
  };
}

function lowerInputs({ grouping: { keys, aggregates } }: Block, lowering: Lowering): Inputs {
  return [...keys, ...aggregates].map(({ value }) =>
    (isAggregate(value) ? value.args : [value]).map((input) => lowerExpression(input, lowering)),
  );
}

function isAggregate(value: bound.Expression): value is bound.Call {
  return value.kind === 'call' && value.clauses !== undefined;
}

function itemValue(
  value: bound.Expression,
  inputs: readonly d.DuckExpression[],
  lowering: Lowering,
): d.DuckExpression {
  if (!isAggregate(value)) return inputs[0] ?? d.integer(1);
  lowering.countWritten(writtenParts(value));
  return writeCall(value, inputs, lowering);
}

/** `GROUPING(x)` over the key that it refers to; undefined for any other item. */
function groupingOfKey(
  index: number,
  { keys, aggregates }: bound.Grouping,
  lowered: readonly d.DuckExpression[],
): d.DuckExpression | undefined {
  const value = aggregates[index - keys.length]?.value;
  if (value?.kind !== 'call' || value.function.name !== 'grouping') return undefined;
  const [arg] = value.args;
  const wanted = arg && fingerprint(arg);
  const key = lowered[keys.findIndex((item) => fingerprint(item.value) === wanted)];
  if (key !== undefined) return d.call('grouping', key);
  const message = 'GROUPING must have an argument that exists within the group-by expression list';
  throw new QueryFault(message, value.at);
}

/**
 * Whether all inputs must become columns, because (a) an input reads columns, but none of the block's own tables, (b) an
 * aggregate is emitted with a sub-select, in which DuckDB would aggregate arguments without columns, or (c) keys of
 * grouping sets become the same DuckDB expression.
 */
function mustWrap(
  { grouping: { keys, aggregates, sets }, rows: { from } }: Block,
  inputs: Inputs,
): boolean {
  const own = new Set(from === undefined ? [] : joinedAliases(from));
  const readsRow = (value: d.DuckExpression) => someTable(value, (table) => own.has(table));
  const isOutside = (value: d.DuckExpression) => !readsRow(value) && someTable(value, () => true);
  if (inputs.some((values) => values.some(isOutside))) return true;
  if (aggregates.some(({ value }) => isAggregate(value) && callDefinition(value).holdsQuery))
    return true;
  const written = new Set(inputs.slice(0, keys.length).map((values) => JSON.stringify(values)));
  return sets !== undefined && written.size < keys.length;
}
