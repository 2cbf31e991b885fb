import { scalar } from '../../types/type.js';
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
} from '../bound/bound.js';
import { someExpression } from '../bound/map-expression.js';
import { callByName } from '../functions/match-call.js';
import { inheritedOrder } from './inherit-order.js';

/**
 * Notes on each read of a gathered table what the gather may take over from the query block around
 * it: comparisons of a time with constants, and ORDER BY with LIMIT where the block is just the
 * newest n rows. Nothing else of the caller's goes into a gather, since a failure there would tell
 * of other projects' rows.
 * @param maxRows how many rows of the block anybody reads; undefined: all
 */
export function withWindows(query: BoundQuery, maxRows?: number): BoundQuery {
  const { body } = query;
  if (body.kind !== 'select') return query;
  const conditions = conjuncts(body.where);
  const from = mapReads(body.from, (read) => {
    const window = conditions.flatMap((condition) => windowOf(condition, read.columns));
    const isWindow = window.length === conditions.length;
    const top = isWindow ? topOf(query, body, { read, maxRows }) : undefined;
    return { ...read, window, ...(top && { top }) };
  });
  return { ...query, body: { ...body, from } };
}

/** FROM with each of its reads of gathered tables changed; sub-selects have a block of their own. */
function mapReads(from: BoundFrom, change: (read: BoundRead) => BoundRead): BoundFrom {
  if (from.kind === 'cte') return from.cte.isGathered ? change(from) : from;
  if (from.kind === 'unnest') return { ...from, left: mapReads(from.left, change) };
  if (from.kind !== 'join') return from;
  return { ...from, left: mapReads(from.left, change), right: mapReads(from.right, change) };
}

/** `a AND b` -> `a`, `b`; none where there is no condition. */
export function conjuncts(condition: BoundExpression | undefined): readonly BoundExpression[] {
  if (condition === undefined) return [];
  const isAnd = condition.kind === 'call' && condition.function.name === '$AND';
  return isAnd ? condition.args.flatMap(conjuncts) : [condition];
}

const comparisons: ReadonlySet<string> = new Set(['$=', '$<', '$<=', '$>', '$>=', '$BETWEEN']);

const times: ReadonlySet<string> = new Set(['TIMESTAMP', 'DATETIME']);

/** A condition as a gather may ask it: none but a comparison of a time of the table with constants. */
export function windowOf(
  condition: BoundExpression,
  columns: readonly Column[],
): readonly BoundExpression[] {
  if (condition.kind !== 'call' || !comparisons.has(condition.function.name)) return [];
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

/** Calls that a constant may be made of. */
const constantCalls: ReadonlySet<string> = new Set(
  `current_timestamp current_datetime current_date timestamp_sub timestamp_add timestamp_trunc
  timestamp_micros timestamp_millis timestamp_seconds timestamp datetime_sub datetime_add
  datetime_trunc datetime date_sub date_add date_trunc date $interval $- $+`.split(/\s+/),
);

const given: ReadonlySet<string> = new Set(['literal', 'parameter', 'part']);

function isConstant(value: BoundExpression): boolean {
  if (value.kind === 'cast') return isConstant(value.of);
  if (value.kind !== 'call') return given.has(value.kind);
  return constantCalls.has(value.function.name) && value.args.every(isConstant);
}

/** A constant that fails becomes NULL: its error must not tell whether there are rows. */
function withoutError(value: BoundExpression): BoundExpression {
  if (value.kind === 'cast') return { ...value, safe: true, of: withoutError(value.of) };
  if (value.kind !== 'call' || value.args.length === 0) return value;
  return { ...value, safe: true, args: value.args.map(withoutError) };
}

/** Where a constant failed, every row is gathered, and the caller's own condition raises the error. */
function orFailed(condition: BoundCall): BoundExpression {
  const type = scalar('BOOL');
  const failed = condition.args
    .filter((value) => (value.kind === 'call' || value.kind === 'cast') && value.safe)
    .map((of): BoundExpression => ({ kind: 'is-null', of, type }));
  return failed.length === 0 ? condition : callByName('$OR', [...failed, condition], condition.at);
}

interface Reader {
  readonly read: BoundRead;
  readonly maxRows: number | undefined;
}

/** The order and number of the newest rows, where those are all that the block reads of the table. */
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

/** Whether a SELECT item or an ORDER BY key holds a window function. */
export function hasWindow({ value }: Pick<BoundItem, 'value'>): boolean {
  return someExpression(value, (one) => one.kind === 'call' && one.clauses?.over !== undefined);
}

/** The number of a LIMIT; NaN where it is a parameter. */
export function countOf(count: BoundExpression): number {
  return count.kind === 'literal' ? Number(count.value) : Number.NaN;
}

/** The one table of FROM, where each of its rows is one row of FROM. */
function onlyRead(from: BoundFrom): BoundFrom | undefined {
  if (from.kind === 'unnest') return keepsRows(from) ? onlyRead(from.left) : undefined;
  return from.kind === 'cte' ? from : undefined;
}

/** A record that is stored as a struct is one element at most. */
function keepsRows({ join, array, on }: BoundUnnest): boolean {
  const { type } = array;
  return join === 'LEFT' && on === undefined && type.kind === 'ARRAY' && type.layout === 'struct';
}

/** The order of the block, its own or inherited, where its one key is a time of the table. */
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
