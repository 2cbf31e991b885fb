import type {
  BoundCall,
  BoundExpression,
  BoundFrom,
  BoundItem,
  BoundOrder,
  BoundQuery,
  BoundRead,
  BoundSelect,
  BoundUnnest,
  Column,
} from './bound.js';
import { readsQuery, someExpression } from './bound-map.js';
import { inheritedOrder } from './lower-order.js';
import { callRow } from './match-call.js';
import { scalar } from './type.js';

/**
 * Says of each fenced table that a caller's query reads what may be asked of its rows inside the
 * fence. A filter in a CTE is no barrier: the engine would move the caller's own conditions below
 * it, and ask them of other projects' rows, where their errors tell what those rows hold. So nothing
 * of the caller's goes in but comparisons of a time with a constant, which cannot fail and let the
 * engine skip what lies outside; and where those are all that a query asks, the order and the number
 * of its rows, which make the fence a top-N.
 * @param maxRows how many rows of the query's anybody reads
 */
export function withFences(query: BoundQuery, maxRows?: number): BoundQuery {
  const { body } = query;
  if (body.kind !== 'select') return query;
  const asked = conjuncts(body.where);
  const from = mapReads(body.from, (read) => {
    const window = asked.flatMap((condition) => windowOf(condition, read.columns));
    const top = window.length === asked.length ? topOf(query, body, { read, maxRows }) : undefined;
    return { ...read, window, ...(top && { top }) };
  });
  return { ...query, body: withoutAsked({ ...body, from }, asked) };
}

/**
 * A block without the conditions that have been asked inside the fence of its one table, as they
 * stand: none but such as cannot fail, and of no table that an outer join could leave empty.
 */
function withoutAsked(body: BoundSelect, asked: readonly BoundExpression[]): BoundSelect {
  const read = leftmost(body.from);
  const columns = read?.window === undefined ? [] : read.columns;
  const isAsked = (one: BoundExpression) =>
    windowOf(one, columns).length > 0 && one.kind === 'call' && one.args.every(isBare);
  const rest = asked.filter((condition) => !isAsked(condition));
  const [first, ...more] = rest;
  if (rest.length === asked.length) return body;
  const { where, ...others } = body;
  if (first === undefined) return others;
  return { ...others, where: more.length === 0 ? first : callRow('$AND', rest, 0) };
}

/**
 * Whether the rows that the fence of a query's one table lets out are the query's, in their order
 * and their number, so that neither need be asked again. A sub-select may become a join, which
 * keeps no order.
 */
export function isAskedInside({ body, offset }: BoundQuery): boolean {
  if (body.kind !== 'select' || body.where !== undefined || offset !== undefined) return false;
  if (leftmost(body.from)?.top === undefined) return false;
  return ![...arraysOf(body.from), ...body.items.map(({ value }) => value)].some(mayBeJoin);
}

function mayBeJoin(value: BoundExpression): boolean {
  return (
    readsQuery(value) || someExpression(value, (one) => one.kind === 'call' && one.row.holdsQuery)
  );
}

function arraysOf(from: BoundFrom): readonly BoundExpression[] {
  return from.kind === 'unnest' ? [...arraysOf(from.left), from.array] : [];
}

/** The table whose rows a FROM without joins unnests; undefined where it joins. */
function leftmost(from: BoundFrom): BoundRead | undefined {
  if (from.kind === 'unnest') return leftmost(from.left);
  return from.kind === 'cte' ? from : undefined;
}

function isBare({ kind }: BoundExpression): boolean {
  return kind === 'column' || given.has(kind);
}

/** FROM with each of its fenced reads changed, those of its sub-selects left to them. */
function mapReads(from: BoundFrom, change: (read: BoundRead) => BoundRead): BoundFrom {
  if (from.kind === 'cte') return from.cte.isFenced ? change(from) : from;
  if (from.kind === 'unnest') return { ...from, left: mapReads(from.left, change) };
  if (from.kind !== 'join') return from;
  return { ...from, left: mapReads(from.left, change), right: mapReads(from.right, change) };
}

function conjuncts(condition: BoundExpression | undefined): readonly BoundExpression[] {
  if (condition === undefined) return [];
  const isAnd = condition.kind === 'call' && condition.row.name === '$AND';
  return isAnd ? condition.args.flatMap(conjuncts) : [condition];
}

const comparisons: ReadonlySet<string> = new Set(['$=', '$<', '$<=', '$>', '$>=', '$BETWEEN']);

const times: ReadonlySet<string> = new Set(['TIMESTAMP', 'DATETIME']);

/** A comparison of a time of the table with constants, as it may be asked inside; no other condition. */
function windowOf(
  condition: BoundExpression,
  columns: readonly Column[],
): readonly BoundExpression[] {
  if (condition.kind !== 'call' || !comparisons.has(condition.row.name)) return [];
  const [column, ...others] = condition.args.toSorted((a, b) => rank(a) - rank(b));
  const isWindow =
    column?.kind === 'column' &&
    times.has(column.type.kind) &&
    columns.some(({ id }) => id === column.column.id) &&
    others.every(isConstant);
  return isWindow ? [orFailed({ ...condition, args: condition.args.map(withoutError) })] : [];
}

function rank({ kind }: BoundExpression): number {
  return kind === 'column' ? 0 : 1;
}

/** The calls that a constant may be made with. */
const constantCalls: ReadonlySet<string> = new Set(
  `current_timestamp current_datetime current_date timestamp_sub timestamp_add timestamp_trunc
  timestamp_micros timestamp_millis timestamp_seconds timestamp datetime_sub datetime_add
  datetime_trunc datetime date_sub date_add date_trunc date $interval $- $+`.split(/\s+/),
);

const given: ReadonlySet<string> = new Set(['literal', 'parameter', 'part']);

function isConstant(value: BoundExpression): boolean {
  if (value.kind === 'cast') return isConstant(value.of);
  if (value.kind !== 'call') return given.has(value.kind);
  return constantCalls.has(value.row.name) && value.args.every(isConstant);
}

/** A constant that may be out of range is NULL then: its error must not tell that there are rows. */
function withoutError(value: BoundExpression): BoundExpression {
  if (value.kind === 'cast') return { ...value, safe: true, of: withoutError(value.of) };
  if (value.kind !== 'call' || value.args.length === 0) return value;
  return { ...value, safe: true, args: value.args.map(withoutError) };
}

/** With a constant that failed, all rows go on to the caller's own condition, which fails on them. */
function orFailed(condition: BoundCall): BoundExpression {
  const type = scalar('BOOL');
  const failed = condition.args
    .filter((value) => (value.kind === 'call' || value.kind === 'cast') && value.safe)
    .map((of): BoundExpression => ({ kind: 'is-null', of, type }));
  return failed.length === 0 ? condition : callRow('$OR', [...failed, condition], condition.at);
}

interface Reader {
  readonly read: BoundRead;
  readonly maxRows: number | undefined;
}

/** The rows of the table that are all of the query's, where its own are the table's, in time's order. */
function topOf(
  query: BoundQuery,
  body: BoundSelect,
  { read, maxRows = Number.POSITIVE_INFINITY }: Reader,
): BoundRead['top'] {
  const { distinct, grouping, having, qualify } = body;
  const isChanged = distinct || [grouping, having, qualify].some((part) => part !== undefined);
  if (isChanged || onlyRead(body.from) !== read || body.items.some(hasWindow)) return undefined;
  const limit = query.limit === undefined ? maxRows : countOf(query.limit);
  const rows = Math.min(limit, maxRows) + (query.offset === undefined ? 0 : countOf(query.offset));
  const order = timeOrder(query, body, read);
  return order !== undefined && Number.isSafeInteger(rows) ? { order, rows } : undefined;
}

function hasWindow({ value }: BoundItem): boolean {
  return someExpression(value, (one) => one.kind === 'call' && one.clauses?.over !== undefined);
}

/** The number of a LIMIT; that of a parameter is not known. */
function countOf(count: BoundExpression): number {
  return count.kind === 'literal' ? Number(count.value) : Number.NaN;
}

/** The one table of FROM, where each of its rows is one of FROM's. */
function onlyRead(from: BoundFrom): BoundFrom | undefined {
  if (from.kind === 'unnest') return keepsRows(from) ? onlyRead(from.left) : undefined;
  return from.kind === 'cte' ? from : undefined;
}

/** A record that is stored as a struct is one element at most. */
function keepsRows({ join, array, on }: BoundUnnest): boolean {
  const { type } = array;
  return join === 'LEFT' && on === undefined && type.kind === 'ARRAY' && type.layout === 'struct';
}

/** The query's order where it is that of one time of the table: its own, or the one it takes over. */
function timeOrder(query: BoundQuery, body: BoundSelect, read: BoundRead): BoundOrder | undefined {
  const keys = query.orderBy.length > 0 ? query.orderBy : inheritedOrder(query);
  const [key] = keys;
  if (key === undefined || keys.length > 1 || key.value.kind !== 'column') return undefined;
  const { id } = key.value.column;
  const value = body.items.find(({ column }) => column.id === id)?.value ?? key.value;
  if (value.kind !== 'column' || !times.has(value.type.kind)) return undefined;
  return read.columns.some((column) => column.id === value.column.id)
    ? { ...key, value }
    : undefined;
}
