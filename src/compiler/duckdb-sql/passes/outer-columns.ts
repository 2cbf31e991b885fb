import * as d from '../duckdb-sql.js';
import { collectAliases, collectTables, joinedAliases } from '../list-tables.js';
import { type DuckMapper, listNodes, mapChildren, mapTree, someNode } from '../map-tree.js';
import { nestRows } from '../nest-rows.js';

/**
 * Gives windows in sub-selects the columns of outer queries that they read, because the engine cannot bind them in a
 * window.
 * `(select rank() over (order by t.a + u.b) from t)` ->
 * `(select rank() over (order by f.c1 + f.c2) from (select t.a as c1, u.b as c2 from t) f)`
 */
export function bringOuterColumns(query: d.DuckQuery): d.DuckQuery {
  if (!someNode(query, d.isWindow)) return query;
  const mapper: DuckMapper = {
    query: (node) => {
      const mapped = mapChildren(node, mapper);
      const isFlat = d.isQueryOfBlock(mapped) && mapped.body.groupKeys === undefined;
      return isFlat ? bringTo(mapped) : mapped;
    },
  };
  return mapTree(query, mapper);
}

function bringTo(query: d.QueryOfBlock): d.DuckQuery {
  const { body, orderBy } = query;
  const { from: side, where, ...shown } = body;
  const own = side === undefined ? [] : joinedAliases(side);
  const outer = outerTables({ shown, orderBy }, own);
  if (outer.length === 0) return query;
  const alias = `${own[0] ?? 'none'} and outer columns`;
  const split = { alias, side, own: new Set([...own, ...outer]), where, items: [] };
  return nestRows({ ...query, body: { ...body, where: [] } }, split);
}

/** The tables that windows read from outer queries: those that are neither in `own` nor in sub-selects of the node. */
function outerTables(node: object, own: readonly string[]): readonly string[] {
  const inside = new Set([...own, ...collectAliases(node)]);
  const read = listNodes(node)
    .filter(d.isWindow)
    .flatMap((part) => [...collectTables(part)]);
  return read.filter((table) => !inside.has(table));
}
