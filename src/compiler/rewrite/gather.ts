import { scalar } from '../../types/types.js';
import * as bound from '../bound/bound.js';
import { mapExpression } from '../bound/map-expression.js';
import { callByName } from '../functions/match-call.js';
import { joinConditions } from './conditions.js';
import { dropUnreadCtes } from './drop-unread-ctes.js';
import type { GatheredRead } from './gathered-reads.js';

/** A CTE of the endpoint, and all reads of it in one statement. */
export interface Gathering {
  readonly cte: bound.Cte;
  readonly reads: readonly [GatheredRead, ...GatheredRead[]];
  /** The endpoint's CTEs; this one may read earlier ones. */
  readonly stored: readonly bound.Cte[];
}

/**
 * The query that gathers rows of an endpoint's CTE: all columns, and every row that any of the reads may
 * need. The pass `narrow` drops unused columns later.
 * `select id from t where t.ts > @a and f(t.id)` -> `select id, ts, … from t where t.ts > @a`
 */
export function gather(gathering: Gathering): bound.Query {
  const { reads } = gathering;
  const [{ read, top }, ...others] = reads;
  const where = joinedWindow(reads);
  const rows = cteRows(gathering, read.columns, { columns: read.columns, ...(where && { where }) });
  if (top === undefined || others.length > 0) return rows;
  // The answer orders rows of the same time, by redacted values if it redacts.
  return { ...rows, orderBy: [top.order], limit: countLiteral(top.rows), withTies: 'time' };
}

/** A number of rows as an expression. */
export function countLiteral(rows: number): bound.Expression {
  return { kind: 'literal', value: String(rows), type: scalar('INT64') };
}

/** The columns and rows to select from a CTE. */
interface Selection {
  readonly columns: readonly bound.Column[];
  readonly where?: bound.Expression;
}

/** `select columns from cte where …`, with the CTEs that it needs. */
export function cteRows(
  { cte, stored }: Pick<Gathering, 'cte' | 'stored'>,
  read: readonly bound.Column[],
  { columns, where }: Selection,
): bound.Query {
  const items = columns.map((column) => ({ column, value: bound.columnValue(column) }));
  const from = { kind: 'cte', cte, columns: read } as const;
  return dropUnreadCtes({
    ...bound.selectQuery(items, from, { ...(where && { where }), at: cte.query.at }),
    ctes: [...stored.filter(({ id }) => id !== cte.id), cte],
  });
}

/** The condition for the rows that any of the reads may need by its time window; undefined if one needs all rows. */
function joinedWindow([first, ...others]: Gathering['reads']): bound.Expression | undefined {
  const own = joinConditions(first.window);
  const more = others.map((other) => joinConditions(windowOverFirst(first, other)));
  const known = more.filter((window) => window !== undefined);
  if (own === undefined || known.length < more.length) return undefined;
  return known.length === 0 ? own : callByName('$OR', [own, ...known], 0);
}

/** The time window of another read, over the columns of the first read. */
function windowOverFirst({ read }: GatheredRead, other: GatheredRead): readonly bound.Expression[] {
  const columns = new Map(other.read.columns.map(({ id }, index) => [id, read.columns[index]]));
  const replace = (node: bound.Expression) => {
    const column = node.kind === 'column' ? columns.get(node.column.id) : undefined;
    return column && bound.columnValue(column);
  };
  return other.window.map((condition) => mapExpression(condition, replace));
}

/** A CTE as a statement that may read earlier CTEs; for a recursive CTE, a SELECT that reads it. */
export function standaloneCte(cte: bound.Cte, before: readonly bound.Cte[], nextId: number) {
  const { query } = cte;
  const { body, columns } = query;
  if (!('recursion' in body)) {
    return { query: { ...query, ctes: [...before, ...query.ctes] }, nextId };
  }
  const read = columns.map((column, index) => ({ ...column, id: nextId + index }));
  const stored = [...before, cte];
  return { query: cteRows({ cte, stored }, read, { columns: read }), nextId: nextId + read.length };
}
