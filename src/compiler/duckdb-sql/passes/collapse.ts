import { scalar, storedNames, structType } from '../../../types/types.js';
import { words } from '../../../values/words.js';
import type { DuckColumn, DuckPlan, DuckStep } from '../duckdb-plan.js';
import * as d from '../duckdb-sql.js';
import { listNodes, mapTree, someNode } from '../map-tree.js';
import { mayFail } from '../may-fail.js';
import { changesRows } from './parts.js';

/**
 * Gathers equal rows once, with their number, if the answer only counts them: writing the rows of a large
 * project takes longer than reading them. The engine's order of groups depends on its statistics of the whole
 * column, and so on rows of other projects; the caller's query must therefore have a fixed order.
 * `gather: select path from …; answer: select path, count(*) from temp.x t group by 1 order by 1` ->
 * `gather: select path, count(*) as rows from … group by 1;
 * answer: select path, cast(coalesce(sum(t.rows), 0) as bigint) from temp.x t group by 1 order by 1, 2`
 */
export function collapse(plan: DuckPlan): DuckPlan {
  // A fetch reads the rows that a search found by row id.
  if (plan.steps.some(({ kind }) => kind !== 'gather')) return plan;
  return plan.steps.reduce(collapseStep, plan);
}

function collapseStep(plan: DuckPlan, step: DuckStep): DuckPlan {
  if (!isRepetitive(step)) return plan;
  const { steps, answer } = plan;
  const name = numberName(step);
  const block = onlyBlock(answer.query, step.table);
  const counted = block && countRows(block, name);
  const ordered = block && withFixedOrder(answer.query, block);
  if (block === undefined || counted === undefined || ordered === undefined) return plan;
  const query = mapTree(ordered, { block: (node) => (node === block ? counted : undefined) });
  const grouped = groupStep(step, name);
  const collapsed = steps.map((other) => (other === step ? grouped : other));
  return { steps: collapsed, answer: { ...answer, query } };
}

/** The maximum number of grouped columns, besides BOOLs: rows of more columns are rarely equal. */
const maxColumns = 3;

/** Types whose equal values are identical, without types whose values rarely repeat. */
const groupedTypes = words('BOOL DATE INT64 STRING');

/** Whether rows are likely to repeat, judging by names and types. If all differ, a query takes up to twice as long. */
function isRepetitive({ columns, query }: DuckStep): boolean {
  const { body, orderBy, limit, offset } = query;
  if (orderBy.length > 0 || limit !== undefined || offset !== undefined) return false;
  if (body.kind !== 'select' || body.distinct || body.groupKeys !== undefined) return false;
  const manyValued = columns.filter(({ type }) => type.kind !== 'BOOL');
  return manyValued.length <= maxColumns && columns.every(repeats);
}

/** The last words of fields that differ in each record: `request_id`, `requestId`. */
const uniqueNames =
  /(^|[^a-z])(id|ids|uuid|guid|ray|message|timestamp|time|nonce|signature)$|[a-z](Id|Ids|Uuid|Guid|Time)$/;

function repeats({ name, type }: DuckColumn): boolean {
  return groupedTypes.has(type.kind) && (type.kind === 'BOOL' || !uniqueNames.test(name));
}

/** An unused column name for the number of rows. */
function numberName({ columns }: DuckStep): string {
  const fields = [...columns, { name: 'rows', type: scalar('INT64') }];
  return storedNames(structType(fields)).at(-1) ?? 'rows';
}

/** Groups equal rows of a step into one row, with their number in a column of this name. */
function groupStep(step: DuckStep, name: string): DuckStep {
  const { query, columns } = step;
  const { body } = query;
  if (body.kind !== 'select') return step;
  const items = [...body.items, { name, value: d.countOfRows }];
  const number = { name, type: scalar('INT64'), isLogField: false };
  return {
    ...step,
    query: { ...query, body: { ...body, items, groupKeys: body.items.length } },
    columns: [...columns, number],
  };
}

/** The block that reads a table, if nothing else does. */
function onlyBlock(query: d.DuckQuery, table: string): d.DuckSelect | undefined {
  const nodes = listNodes(query);
  if (nodes.filter((node) => readsTable(node, table)).length !== 1) return undefined;
  const blocks = nodes.filter((node) => node.kind === 'select');
  return blocks.find(({ from }) => from !== undefined && readsTable(from, table));
}

function readsTable(node: d.DuckNode, table: string): boolean {
  if (node.kind !== 'table') return false;
  return node.path[0] === d.temporarySchema && node.path[1] === table;
}

/** Rewrites a block that aggregates, so that it reads grouped rows; undefined if it needs each row. */
function countRows(block: d.DuckSelect, name: string): d.DuckSelect | undefined {
  const { items, groupKeys, qualify, from } = block;
  if (groupKeys === undefined || qualify !== undefined || from?.kind !== 'table') return undefined;
  const number = d.column(from.alias, name);
  const counted = items.map((item, index): d.DuckItem | undefined => {
    if (index < groupKeys) return item;
    const value = countIn(item.value, number);
    return value && { ...item, value };
  });
  return counted.every((item) => item !== undefined) ? { ...block, items: counted } : undefined;
}

/** Aggregates whose result does not change if a row is repeated. */
const unchanged = words('bit_and bit_or bool_and bool_or grouping max min');

/** Rewrites an aggregate, or a cast of one, to use each row's number; undefined if that cannot give its result. */
function countIn(value: d.DuckExpression, number: d.DuckExpression): d.DuckExpression | undefined {
  if (value.kind === 'cast') {
    const of = countIn(value.of, number);
    return of && { ...value, of };
  }
  if (value.kind !== 'call' || !isPlain(value)) return undefined;
  const [name = ''] = value.path;
  if (unchanged.has(name) || (name === 'count' && value.distinct)) return value;
  const counted = countedBy(value);
  return counted && sumIf(number, counted.when);
}

/** Whether an aggregate is built into the engine, and has no order and no window. */
function isPlain({ path, over, orderBy = [] }: d.DuckCall): boolean {
  return path.length === 1 && over === undefined && orderBy.length === 0;
}

/**
 * Returns the condition of the rows that a COUNT counts: `when` is undefined if it counts all rows. Undefined for other
 * aggregates.
 */
function countedBy({ path, args, filter }: d.DuckCall): { when?: d.DuckExpression } | undefined {
  const [value] = args;
  if (path[0] !== 'count' || value === undefined) return undefined;
  if (value.kind === 'word' && value.word === '*')
    return filter === undefined ? {} : { when: filter };
  return filter === undefined ? { when: d.isNotNull(value) } : undefined;
}

/** `CAST(coalesce(sum(number) FILTER (WHERE filter), 0) AS BIGINT)` */
function sumIf(number: d.DuckExpression, filter: d.DuckExpression | undefined): d.DuckExpression {
  const sum = { ...d.call('sum', number), ...(filter === undefined ? {} : { filter }) };
  return d.castTo(d.call('coalesce', sum, d.integer(0)), 'BIGINT');
}

/**
 * Returns a statement over groups if its answer does not depend on the order in which rows are read: it sorts by all
 * keys, and nothing in it can fail. Undefined for any other statement. Adds the other columns to the sort, which does
 * not change the order: without them, the engine would read the rows twice, to fetch these columns later.
 * `select t.key_1, t.n from (select k as key_1, count(*) as n from x group by 1) t order by 1` ->
 * `select … order by 1, t.n`
 */
function withFixedOrder(statement: d.DuckQuery, groups: d.DuckSelect): d.DuckQuery | undefined {
  const { body, orderBy, ctes } = statement;
  if (body.kind !== 'select' || ctes.length > 0) return undefined;
  const { from, items } = body;
  if (from?.kind !== 'derived' || from.columns !== undefined) return undefined;
  const { query, alias } = from;
  if (query.body !== groups || !hasOnlyBody(query) || changesRows(body)) return undefined;
  const hasWindow = someNode(statement, d.isWindow);
  if (groups.groupSets !== undefined || hasWindow || mayFail(statement)) return undefined;
  const values = orderBy.map((key) => d.keyValue(key, items));
  const names = new Set(values.map((value) => (value.kind === 'column' ? value.name : undefined)));
  const keys = groups.items.slice(0, groups.groupKeys);
  if (keys.some(({ name }) => !names.has(name))) return undefined;
  const missing = groups.items
    .filter(({ name }) => !names.has(name))
    .map(({ name }) => ({ value: d.column(alias, name), descending: false }));
  return { ...statement, orderBy: [...orderBy, ...missing] };
}

/** Whether a query has only a body. */
function hasOnlyBody({ ctes, orderBy, limit, offset }: d.DuckQuery): boolean {
  return [ctes, orderBy].every((list) => list.length === 0) && (limit ?? offset) === undefined;
}
