import { nodesIn } from './syntax/nodes-in.js';
import type { Query } from './syntax/tree.js';

/**
 * Keeps only the CTEs of a query that are read under one of these names, directly or through other CTEs. The rest are
 * not compiled, so they cost nothing and cannot fail. A CTE counts as read if the query uses its name as a table
 * anywhere.
 */
export function keepRead(query: Query, names: ReadonlySet<string>): Query {
  const read = new Set(names);
  const kept = query.ctes.toReversed().filter((cte) => {
    const isRead = read.has(cte.name.name.toLowerCase());
    if (isRead) for (const name of tablesNamed(cte.query)) read.add(name);
    return isRead;
  });
  return kept.length === query.ctes.length ? query : { ...query, ctes: kept.toReversed() };
}

/** The names of the tables that a query without its own CTEs reads, in lower case. */
export function tablesOfBody(query: Query): ReadonlySet<string> {
  return tablesNamed({ ...query, ctes: [] });
}

/** The names of tables anywhere below a node, in lower case; the first name of each path. */
export function tablesNamed(node: object): Set<string> {
  const tables = nodesIn(node).filter((one) => one.kind === 'table');
  return new Set(tables.map(({ path }) => path[0]?.name.toLowerCase() ?? ''));
}
