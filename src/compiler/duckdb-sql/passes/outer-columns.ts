import type { DuckExpression, DuckFrom, DuckItem, DuckQuery, DuckSelect } from '../duckdb-sql.js';
import { isBlock, queryOf } from '../duckdb-sql.js';
import { mapChildren, nodeKind, someNode } from '../map-tree.js';
import { aliasesOf, collectAliases } from '../tables-of.js';

type ColumnNode = Extract<DuckExpression, { readonly kind: 'column' }>;

/**
 * Gives windows in sub-selects the columns of outer queries that they read, because the engine cannot bind them in a window.
 * `(select rank() over (order by t.a + u.b) from t)` ->
 * `(select rank() over (order by f.c0 + f.c1) from (select t.a, u.b from t) f)`
 */
export function bringOuterColumns(query: DuckQuery): DuckQuery {
  if (!someNode(query, isWindow)) return query;
  const bring = <T extends object>(node: T): T => {
    const mapped = mapChildren(node, bring);
    return 'body' in mapped && 'ctes' in mapped
      ? (bringTo(mapped as object as DuckQuery) as object as T)
      : mapped;
  };
  return bring(query);
}

function bringTo(query: DuckQuery): DuckQuery {
  const { body, orderBy } = query;
  if (!isBlock(body) || body.groupKeys !== undefined) return query;
  const { from, where, ...shown } = body;
  const own = new Set(from === undefined ? [] : aliasesOf(from));
  const columns = new Map<string, ColumnNode>();
  const note = (node: ColumnNode) => columns.set(columnKey(node), node);
  noteOuter({ shown, orderBy }, own, note);
  if (columns.size === 0) return query;
  noteColumns({ shown, orderBy }, ({ table }) => own.has(table), note);
  const alias = `${[...own][0] ?? 'none'} and outer columns`;
  const names = new Map([...columns.keys()].map((key, index) => [key, `c${index}`]));
  const items = [...columns].map(
    ([key, value]): DuckItem => ({ name: names.get(key) ?? '', value }),
  );
  const inner: DuckSelect = {
    kind: 'select',
    distinct: false,
    items,
    where,
    ...(from && { from }),
  };
  const derived: DuckFrom = { kind: 'derived', query: queryOf(inner), alias };
  const move = <T extends object>(node: T): T => {
    const name = isColumn(node) ? names.get(columnKey(node)) : undefined;
    return name === undefined ? mapChildren(node, move) : { ...node, table: alias, name };
  };
  const moved = { ...move(shown), where: [], from: derived };
  return { ...query, body: moved, orderBy: move(orderBy) };
}

/** Calls `note` for the columns in windows that belong neither to these tables nor to tables in sub-selects. */
function noteOuter(node: object, own: ReadonlySet<string>, note: (node: ColumnNode) => void): void {
  const inside = collectAliases(node);
  someNode(node, (part) => {
    if (isWindow(part))
      noteColumns(part, ({ table }) => !own.has(table) && !inside.has(table), note);
    return false;
  });
}

function isWindow(node: object): boolean {
  return 'over' in node && node.over !== undefined;
}

function noteColumns(
  node: object,
  test: (node: ColumnNode) => boolean,
  note: (node: ColumnNode) => void,
): void {
  someNode(node, (part) => {
    if (isColumn(part) && test(part)) note(part);
    return false;
  });
}

function isColumn(node: object): node is ColumnNode {
  return nodeKind(node) === 'column' && 'table' in node;
}

function columnKey({ table, name }: ColumnNode): string {
  return JSON.stringify([table, name]);
}
