import type { BoundCte, BoundFrom, BoundQuery } from './bound/bound.js';
import type { LqlReadable, LqlTable } from './lql/readable.js';

/**
 * What LQL may read of a stored query: its CTEs; without `f:` the one that its final SELECT reads,
 * through joins, sub-selects and set operations the first one met.
 */
export function readableTables({ ctes, body }: BoundQuery): LqlReadable {
  return { tables: ctes.map(tableOf), defaultTable: readOf(body, ctes) };
}

/** The rows of a value table of structs have the columns that are its fields. */
function tableOf({ name, query }: BoundCte): LqlTable {
  const [column] = query.columns;
  const isRecord = query.isValue && column?.type.kind === 'STRUCT';
  return { name, columns: isRecord ? column.type.fields : query.columns };
}

function readOf(body: BoundQuery['body'], ctes: readonly BoundCte[]): string | undefined {
  if (body.kind === 'query') return readOf(body.body, ctes);
  if (body.kind === 'select') return readIn(body.from, ctes);
  return first(body.operands, (operand) => readOf(operand.body, ctes));
}

function readIn(from: BoundFrom, ctes: readonly BoundCte[]): string | undefined {
  switch (from.kind) {
    case 'none':
    case 'source':
      return undefined;
    case 'cte':
      // A CTE of a sub-select is nothing that a caller could name.
      return ctes.includes(from.cte) ? from.cte.name : readOf(from.cte.query.body, ctes);
    case 'derived':
      return readOf(from.query.body, ctes);
    case 'unnest':
      return readIn(from.left, ctes);
    case 'join':
      return first([from.left, from.right], (side) => readIn(side, ctes));
  }
}

function first<T>(items: readonly T[], read: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = read(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
