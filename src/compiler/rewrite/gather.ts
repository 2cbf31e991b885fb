import { scalar } from '../../types/types.js';
import {
  type BoundCte,
  type BoundExpression,
  type BoundQuery,
  type Column,
  columnValue,
} from '../bound/bound.js';
import { mapExpression } from '../bound/map-expression.js';
import { allOf, anyOf } from './conditions.js';
import { dropUnreadCtes } from './drop-unread-ctes.js';
import type { GatheredRead } from './gathered-reads.js';

/** A CTE of the endpoint, and every read of it in one statement. */
export interface Gathering {
  readonly cte: BoundCte;
  readonly reads: readonly [GatheredRead, ...GatheredRead[]];
  /** The endpoint's CTEs, of which this one may read those before it. */
  readonly stored: readonly BoundCte[];
}

/**
 * The query that gathers rows of an endpoint's CTE: all columns, and every row that any of the reads may
 * need. The pass `narrow` drops unused columns later.
 * `select id from t where t.ts > @a and f(t.id)` -> `select id, ts, … from t where t.ts > @a`
 */
export function gather(gathering: Gathering, nextId: number): BoundQuery {
  const { reads } = gathering;
  const [first, ...others] = reads;
  const { columns } = first.read;
  const window = windowOf(reads);
  const top = others.length === 0 ? firstTimes(gathering, nextId) : undefined;
  const where = allOf([window, top].filter((condition) => condition !== undefined));
  return rowsOf(gathering, columns, { columns, ...(where && { where }) });
}

/**
 * The condition that a row has one of the first times: the rows that share the last of them are gathered too, because the
 * answer decides between those, and with redaction by the redacted values.
 * `ts in (select ts from t where … order by ts desc limit 9)`
 */
function firstTimes(gathering: Gathering, nextId: number): BoundExpression | undefined {
  const [first] = gathering.reads;
  const { read, top } = first;
  if (top === undefined) return undefined;
  const columns = read.columns.map((column, index) => ({ ...column, id: nextId + index }));
  const renumbered = { ...first, read: { ...read, columns } };
  const where = allOf(inColumnsOf(renumbered, first));
  const time = columns[read.columns.findIndex(({ id }) => id === top.time.id)];
  if (time === undefined) throw new Error('a table is ordered by its own column');
  const order = { ...top.order, value: columnValue(time) };
  const rows = rowsOf(gathering, columns, { columns: [time], ...(where && { where }) });
  return isAmong(columnValue(top.time), {
    ...rows,
    ctes: [],
    orderBy: [order],
    limit: countLiteral(top.rows),
  });
}

/** `operand in (query)` */
export function isAmong(operand: BoundExpression, query: BoundQuery): BoundExpression {
  return { kind: 'subquery', form: 'IN', operand, query, type: scalar('BOOL') };
}

/** A number of rows as an expression. */
export function countLiteral(rows: number): BoundExpression {
  return { kind: 'literal', value: String(rows), type: scalar('INT64') };
}

/** The columns and rows to select from a CTE. */
interface Selection {
  readonly columns: readonly Column[];
  readonly where?: BoundExpression;
}

/** `select columns from cte where …`, with the CTEs that it needs. */
export function rowsOf(
  { cte, stored }: Pick<Gathering, 'cte' | 'stored'>,
  read: readonly Column[],
  { columns, where }: Selection,
): BoundQuery {
  const items = columns.map((column) => ({ column, value: columnValue(column) }));
  return dropUnreadCtes({
    kind: 'query',
    ctes: [...stored.filter(({ id }) => id !== cte.id), cte],
    body: {
      kind: 'select',
      distinct: false,
      items,
      from: { kind: 'cte', cte, columns: read },
      ...(where && { where }),
      columns,
      isValue: false,
    },
    orderBy: [],
    columns,
    isValue: false,
    at: cte.query.at,
  });
}

/** The rows in the time window of any of the reads; undefined if one of them needs all rows. */
function windowOf([first, ...others]: Gathering['reads']): BoundExpression | undefined {
  const own = allOf(first.window);
  const more = others.map((other) => allOf(inColumnsOf(first, other)));
  const known = more.filter((window) => window !== undefined);
  return own === undefined || known.length < more.length ? undefined : anyOf(own, ...known);
}

/** The window of another read, over the columns of the first. */
function inColumnsOf({ read }: GatheredRead, other: GatheredRead): readonly BoundExpression[] {
  const columns = new Map(other.read.columns.map(({ id }, index) => [id, read.columns[index]]));
  const replace = (node: BoundExpression) => {
    const column = node.kind === 'column' ? columns.get(node.column.id) : undefined;
    return column && columnValue(column);
  };
  return other.window.map((condition) => mapExpression(condition, replace));
}
