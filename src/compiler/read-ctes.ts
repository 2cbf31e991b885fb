import type { Query, TableReference } from './syntax/tree.js';

/**
 * Keeps only the CTEs of a query that are read under one of these names, directly or through other CTEs. The rest are not
 * compiled, so they cost nothing and cannot fail. A CTE counts as read if the query uses its name as a table anywhere.
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
  const names = new Set<string>();
  const open: object[] = [node];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (isTable(next)) names.add(next.path[0]?.name.toLowerCase() ?? '');
    for (const part of Object.values(next)) {
      if (typeof part === 'object' && part !== null) open.push(part);
    }
  }
  return names;
}

function isTable(node: object): node is TableReference {
  return 'kind' in node && node.kind === 'table';
}
