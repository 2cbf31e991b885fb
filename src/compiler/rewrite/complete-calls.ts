import { words } from '../../values/words.js';
import * as bound from '../bound/bound.js';
import { fingerprint } from '../bound/fingerprint.js';
import { mapExpression } from '../bound/map-expression.js';
import { someExpression } from '../bound/search.js';
import { holdsRecords, idsIn, tieKey, timeOrder } from './order-keys.js';

/**
 * Completes the orders in which window functions and aggregates of a block read records, if their results depend on
 * them.
 * `row_number() over (order by ts)` -> `row_number() over (order by ts, id, …)`, `over ()` -> `over (order by timestamp, id, …)`,
 * `array_agg(path)` -> `array_agg(path order by timestamp, id, path)`, `sum(x)` -> `sum(x order by x)`
 */
export function completeCalls(query: bound.Query): bound.Query {
  const { body } = query;
  if (body.kind !== 'select' || !holdsRecords(body.from)) return query;
  const completed = completeAggregates(body);
  return completeWindows(completed === body ? query : { ...query, body: completed }, completed);
}

function completeAggregates(body: bound.Select): bound.Select {
  const { grouping } = body;
  if (grouping === undefined || !grouping.aggregates.some(({ value }) => isOrdered(value)))
    return body;
  const aggregates = grouping.aggregates.map((item) =>
    isOrdered(item.value) ? { ...item, value: completeAggregate(item.value, body) } : item,
  );
  return { ...body, grouping: { ...grouping, aggregates } };
}

/** Aggregates that show the order of their rows. */
const lists = words('array_agg array_concat_agg string_agg');

/** Aggregates that choose one of several rows; the emitters choose by value. */
const choices = words('any_value max_by min_by');

/** Aggregates of FLOAT64 that round at each row; the emitters add values in a fixed order, or without rounding. */
const rounded = words(
  'avg corr covar_pop covar_samp stddev stddev_pop stddev_samp sum var_pop var_samp variance',
);

/** Window functions that number rows and do not use a frame. */
const numberings = words('row_number ntile lag lead');

/** Window functions that read a row by its place in the frame. */
const places = words('first_value last_value nth_value');

function isOrdered(node: bound.Expression): node is bound.Call {
  if (node.kind !== 'call') return false;
  const { name } = node.function;
  if (rounded.has(name)) return node.args.some(({ type }) => type.kind === 'FLOAT64');
  return [lists, choices, numberings, places].some((names) => names.has(name));
}

function completeAggregate(node: bound.Call, { from }: bound.Select): bound.Call {
  const { clauses = bound.noClauses, args } = node;
  const own = args.slice(0, rounded.has(node.function.name) ? 2 : 1).map(tieKey);
  const started = clauses.orderBy.length > 0 ? clauses.orderBy : timeOrder(from);
  const isList = lists.has(node.function.name) && !clauses.distinct;
  const keys = isList
    ? [...started, ...idsIn(from).map(bound.columnValue).map(tieKey)]
    : clauses.orderBy;
  const known = new Set(keys.map(({ value }) => fingerprint(value)));
  const orderBy = [...keys, ...own.filter(({ value }) => !known.has(fingerprint(value)))];
  return { ...node, clauses: { ...clauses, orderBy } };
}

function completeWindows(query: bound.Query, body: bound.Select): bound.Query {
  const { orderBy } = query;
  const { items, qualify } = body;
  const values = [...items, ...orderBy].map(({ value }) => value).concat(qualify ?? []);
  if (!values.some((value) => someExpression(value, isTied))) return query;
  const keys = rowKeys(body, values);
  const complete = <T extends { readonly value: bound.Expression }>(one: T): T => {
    return { ...one, value: mapExpression(one.value, (node) => completeWindow(node, keys)) };
  };
  const mapped: bound.Select = {
    ...body,
    items: items.map(complete),
    ...(qualify && { qualify: complete({ value: qualify }).value }),
  };
  return { ...query, body: mapped, orderBy: orderBy.map(complete) };
}

type WindowCall = bound.Call & { readonly clauses: { readonly over: bound.Window } };

/** Whether the result of a window function may depend on the order of rows that are equal in the window's keys. */
function isTied(node: bound.Expression): node is WindowCall {
  if (node.kind !== 'call' || node.clauses?.over === undefined) return false;
  return isByRows(node.clauses.over) || isOrdered(node);
}

/**
 * The columns that distinguish the rows of a block: the keys and aggregates of a group, or the ids and all other
 * columns that the block reads. A window without its own order is ordered by time first.
 */
function rowKeys({ grouping, from, items }: bound.Select, values: readonly bound.Expression[]) {
  if (grouping !== undefined) {
    const columns = [...grouping.keys, ...grouping.aggregates].map(({ column }) => column);
    return { time: [], keys: columns.map(bound.columnValue).map(tieKey) };
  }
  const reads = new Map(
    idsIn(from)
      .map(bound.columnValue)
      .map((id) => [fingerprint(id), id]),
  );
  const outputs = new Set(items.map(({ column }) => column.id));
  const note = (node: bound.Expression) => {
    if (node.kind === 'subquery') return node;
    if (!bound.isPath(node)) return undefined;
    if (node.kind !== 'column' || !outputs.has(node.column.id)) reads.set(fingerprint(node), node);
    return node;
  };
  for (const value of values) mapExpression(value, note);
  const time = timeOrder(from).map(({ value }) => tieKey(value));
  return { time, keys: [...reads.values()].map(tieKey) };
}

/** Completes the order of a window; does not enter sub-selects, which are separate blocks. */
function completeWindow(
  node: bound.Expression,
  rows: ReturnType<typeof rowKeys>,
): bound.Expression | undefined {
  if (node.kind === 'subquery') return node;
  if (!isTied(node)) return undefined;
  const { name } = node.function;
  const { over, ...clauses } = node.clauses;
  const known = [...over.partitionBy, ...over.orderBy.map(({ value }) => value)].map(fingerprint);
  const all = over.orderBy.length === 0 ? [...rows.time, ...rows.keys] : rows.keys;
  const byPrint = new Map(all.map((key) => [fingerprint(key.value), key]));
  const keys = [...byPrint].flatMap(([print, key]) => (known.includes(print) ? [] : [key]));
  const orderBy = [...over.orderBy, ...keys];
  const placed = numberings.has(name) || isByRows(over) ? { ...over, orderBy } : undefined;
  if (isOrdered(node) && (rounded.has(name) || choices.has(name))) {
    const own = node.args.slice(0, 2).map(tieKey);
    return { ...node, clauses: { ...clauses, over: placed ?? over, orderBy: own } };
  }
  const total = placed ?? wholeWindow(over, keys);
  if (total !== undefined) return { ...node, clauses: { ...clauses, over: total } };
  return { ...node, clauses: { ...clauses, over, orderBy } };
}

function isByRows({ frame }: bound.Window): boolean {
  return frame?.unit === 'ROWS';
}

/** The same window over its whole partition, in order; undefined for a window with its own order or frame. */
function wholeWindow(
  { partitionBy, orderBy, frame }: bound.Window,
  keys: readonly bound.Order[],
): bound.Window | undefined {
  if (orderBy.length > 0 || frame !== undefined) return undefined;
  const all = { unit: 'ROWS', start: { kind: 'PRECEDING' }, end: { kind: 'FOLLOWING' } } as const;
  return { partitionBy, orderBy: keys, frame: all };
}
