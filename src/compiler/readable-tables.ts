import type * as bound from './bound/bound.js';
import type { LqlScope, LqlTable } from './lql/lql-scope.js';

/**
 * The tables of a stored query that LQL can read: its CTEs. The default is the first CTE that its final
 * SELECT reads, directly or through joins, subqueries and set operations.
 */
export function readableTables({ ctes, body }: bound.Query): LqlScope {
  return { tables: ctes.map(cteTable), defaultTable: firstTable(body, { ctes, read: new Set() }) };
}

/** Returns a CTE as a table; a value table of structs has the fields of the struct as columns. */
function cteTable({ name, query }: bound.Cte): LqlTable {
  const [column] = query.columns;
  const isRecord = query.isValue && column?.type.kind === 'STRUCT';
  return { name, columns: isRecord ? column.type.fields : query.columns };
}

interface Search {
  readonly ctes: readonly bound.Cte[];
  /** The ids of subqueries' CTEs that have been searched without success. */
  readonly read: Set<number>;
}

function firstTable(body: bound.Query['body'], search: Search): string | undefined {
  if (body.kind === 'query') return firstTable(body.body, search);
  if (body.kind === 'select') return firstTableIn(body.from, search);
  return firstDefined(body.operands.map((operand) => firstTable(operand.body, search)));
}

function firstTableIn(from: bound.From, search: Search): string | undefined {
  switch (from.kind) {
    case 'none':
    case 'source':
    case 'self':
    case 'table':
      return undefined;
    case 'cte':
      if (search.ctes.some(({ id }) => id === from.cte.id)) return from.cte.name;
      // The CTE of a subquery is not visible to callers.
      if (search.read.has(from.cte.id)) return undefined;
      search.read.add(from.cte.id);
      return firstTable(from.cte.query.body, search);
    case 'derived':
      return firstTable(from.query.body, search);
    case 'unnest':
      return firstTableIn(from.left, search);
    case 'join':
      return firstDefined([from.left, from.right].map((side) => firstTableIn(side, search)));
  }
}

function firstDefined(names: readonly (string | undefined)[]): string | undefined {
  return names.find((name) => name !== undefined);
}
