import type { Cursor } from './cursor.js';
import type { Expression, FrameBound, OrderItem, WindowSpec } from './tree.js';

/** Parses `ORDER BY keys`; no keys if something else comes next. */
export function parseOrderBy(cursor: Cursor): readonly OrderItem[] {
  return cursor.accept('ORDER', 'BY') ? cursor.list(() => parseOrderItem(cursor)) : [];
}

/** Parses a key of ORDER BY. */
export function parseOrderItem(cursor: Cursor): OrderItem {
  const { at } = cursor.next;
  return { value: cursor.expression(), ...parseDirection(cursor), at };
}

/** LIMIT with its OFFSET. */
export interface RowCounts {
  readonly limit: Expression;
  readonly offset?: Expression;
}

/** Parses `count [OFFSET count]` after LIMIT. */
export function parseCounts(cursor: Cursor): RowCounts {
  const limit = cursor.expression();
  return { limit, ...(cursor.accept('OFFSET') && { offset: cursor.expression() }) };
}

/** Parses `[ASC | DESC] [NULLS {FIRST | LAST}]`. */
export function parseDirection(cursor: Cursor): Pick<OrderItem, 'descending' | 'nulls'> {
  const descending = cursor.acceptOne('ASC', 'DESC') === 'DESC';
  if (!cursor.accept('NULLS')) return { descending };
  if (cursor.accept('FIRST')) return { descending, nulls: 'FIRST' };
  cursor.expect('LAST');
  return { descending, nulls: 'LAST' };
}

/**
 * Parses the window after OVER or `WINDOW name AS`: a name, or a specification in brackets.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/window-function-calls
 */
export function parseWindow(cursor: Cursor): WindowSpec {
  const { at } = cursor.next;
  if (!cursor.accept('(')) {
    return { name: cursor.identifier(), partitionBy: [], orderBy: [], at };
  }
  return cursor.closed(() => ({
    ...(cursor.atIdentifier() && { name: cursor.identifier() }),
    partitionBy: cursor.accept('PARTITION', 'BY') ? cursor.list(() => cursor.expression()) : [],
    orderBy: parseOrderBy(cursor),
    ...parseFrame(cursor),
    at,
  }));
}

function parseFrame(cursor: Cursor): Pick<WindowSpec, 'frame'> {
  const unit = cursor.acceptOne('ROWS', 'RANGE');
  if (unit === undefined) return {};
  if (!cursor.accept('BETWEEN')) return { frame: { unit, start: parseBound(cursor) } };
  const start = parseBound(cursor);
  cursor.expect('AND');
  return { frame: { unit, start, end: parseBound(cursor) } };
}

function parseBound(cursor: Cursor): FrameBound {
  if (cursor.accept('CURRENT', 'ROW')) return { kind: 'CURRENT ROW' };
  const offset = cursor.accept('UNBOUNDED') ? undefined : cursor.expression();
  const kind = cursor.acceptOne('PRECEDING', 'FOLLOWING');
  if (kind === undefined) throw cursor.unexpected();
  return { kind, ...(offset && { offset }) };
}
