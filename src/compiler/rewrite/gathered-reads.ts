import type * as bound from '../bound/bound.js';
import { isRecordTime, rowsUsed, shownValue } from '../bound/first-rows.js';
import { mapQueries } from '../bound/map-expression.js';
import { hasWindow } from '../bound/search.js';
import { conjuncts } from './conditions.js';
import { cannotFail, gatherableWindow } from './time-window.js';

/** A read of a CTE, with the clauses of its block that the gather may apply, too. */
export interface GatheredRead {
  readonly read: bound.Read;
  /** The block's conditions that compare a time column with constants. */
  readonly window: readonly bound.Expression[];
  /** The conditions that the gather fully applies if this is the only read of the CTE. */
  readonly applied: readonly bound.Expression[];
  /** Set if the block needs only its first rows in order of time. */
  readonly top?: Top;
}

interface Top {
  /** The order by a column of the read that is never NULL. */
  readonly order: bound.Order;
  /** The number of rows. */
  readonly rows: number;
}

/**
 * The reads of gathered CTEs in a caller's query, by the id of the CTE. No other clause of a block may
 * move into its gather: a failure there would reveal rows of other projects.
 * @param maxRows the maximum number of rows that the answer needs
 */
export function gatheredReads(
  query: bound.Query,
  { isGathered, maxRows }: { isGathered(id: number): boolean; readonly maxRows: number },
): ReadonlyMap<number, readonly GatheredRead[]> {
  const found = new Map<number, GatheredRead[]>();
  mapQueries(query, {
    query: (block, role) => {
      const { body } = block;
      if (body.kind !== 'select') return block;
      const limit = role === 'statement' ? maxRows : Number.POSITIVE_INFINITY;
      for (const read of cteReads(body.from)) {
        const { id } = read.cte;
        if (!isGathered(id)) continue;
        found.set(id, [...(found.get(id) ?? []), describeRead(read, { ...block, body }, limit)]);
      }
      return block;
    },
  });
  return found;
}

/** The CTEs that FROM reads, outside of sub-selects, which are separate blocks. */
function cteReads(from: bound.From): readonly bound.Read[] {
  if (from.kind === 'cte') return [from];
  if (from.kind === 'unnest') return cteReads(from.left);
  return from.kind === 'join' ? [...cteReads(from.left), ...cteReads(from.right)] : [];
}

function describeRead(read: bound.Read, query: bound.SelectQuery, limit: number): GatheredRead {
  const { body } = query;
  const conditions = conjuncts(body.where);
  const windows = conditions.map((condition) => gatherableWindow(condition, read.columns));
  const window = windows.filter((each) => each !== undefined);
  const isApplied = (condition: bound.Expression, index: number) =>
    windows[index] !== undefined && cannotFail(condition);
  const applied = keptRead(body.from) === read ? conditions.filter(isApplied) : [];
  const rows = window.length === conditions.length ? rowsUsed(query, limit) : undefined;
  const order = timeOrder(query, read);
  const isTop =
    isRowWise(body) &&
    onlyRead(body.from) === read &&
    !body.items.some(({ value }) => hasWindow(value));
  if (!isTop || rows === undefined || order === undefined) return { read, window, applied };
  return { read, window, applied, top: { order, rows } };
}

/** Whether a block computes each of its rows from one row of FROM, except for window functions. */
export function isRowWise({ distinct, grouping, having, qualify }: bound.Select): boolean {
  return !distinct && [grouping, having, qualify].every((clause) => clause === undefined);
}

/** The only table of FROM, if each row of the table is exactly one row of FROM. */
function onlyRead(from: bound.From): bound.From | undefined {
  if (from.kind === 'unnest') return keepsRows(from) ? onlyRead(from.left) : undefined;
  return from.kind === 'cte' ? from : undefined;
}

/** The left table of FROM below its arrays, which only repeat or drop rows of the table. */
export function keptRead(from: bound.From): bound.From {
  return from.kind === 'unnest' ? keptRead(from.left) : from;
}

/** Whether unnesting an array keeps each row once: a record that is stored as a struct has at most one element. */
function keepsRows({ join, array, on }: bound.Unnest): boolean {
  const { type } = array;
  return join === 'LEFT' && on === undefined && type.kind === 'ARRAY' && type.layout === 'struct';
}

/** The first key of the block, if it is the time of the table's records. */
function timeOrder({ orderBy: [key], body }: bound.SelectQuery, read: bound.Read) {
  const { body: rows } = read.cte.query;
  const isOfSource = rows.kind === 'select' && rows.from.kind === 'source';
  if (key === undefined || !isOfSource) return undefined;
  const value = shownValue(key.value, body.items);
  return isRecordTime(value, read) ? { ...key, value } : undefined;
}
