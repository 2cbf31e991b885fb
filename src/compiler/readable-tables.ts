import type { BoundCte, BoundFrom, BoundQuery } from './bound/bound.js';
import type { LqlScope, LqlTable } from './lql/lql-scope.js';

/**
 * The tables of a stored query that LQL can read: its CTEs. The default is the first CTE that its final
 * SELECT reads, directly or through joins, subqueries and set operations.
 */
export function readableTables({ ctes, body }: BoundQuery): LqlScope {
  return { tables: ctes.map(tableOf), defaultTable: firstTable(body, ctes) };
}

/** A value table of structs has the fields of the struct as columns. */
function tableOf({ name, query }: BoundCte): LqlTable {
  const [column] = query.columns;
  const isRecord = query.isValue && column?.type.kind === 'STRUCT';
  return { name, columns: isRecord ? column.type.fields : query.columns };
}

function firstTable(body: BoundQuery['body'], ctes: readonly BoundCte[]): string | undefined {
  if (body.kind === 'query') return firstTable(body.body, ctes);
  if (body.kind === 'select') return firstTableOf(body.from, ctes);
  return first(body.operands, (operand) => firstTable(operand.body, ctes));
}

function firstTableOf(from: BoundFrom, ctes: readonly BoundCte[]): string | undefined {
  switch (from.kind) {
    case 'none':
    case 'source':
    case 'self':
    case 'table':
      return undefined;
    case 'cte':
      // The CTE of a subquery is not visible to callers.
      return ctes.some(({ id }) => id === from.cte.id)
        ? from.cte.name
        : firstTable(from.cte.query.body, ctes);
    case 'derived':
      return firstTable(from.query.body, ctes);
    case 'unnest':
      return firstTableOf(from.left, ctes);
    case 'join':
      return first([from.left, from.right], (side) => firstTableOf(side, ctes));
  }
}

function first<T>(items: readonly T[], read: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = read(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
