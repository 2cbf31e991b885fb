import type { DuckQuery } from './duckdb-sql.js';
import { listNodes } from './map-tree.js';

/** The parameters and tables that a statement reads; tables as `logs.web`. */
export interface Reads {
  readonly parameters: ReadonlySet<string>;
  readonly tables: ReadonlySet<string>;
}

/**
 * Collects the parameters and tables that a statement reads, anywhere in its tree. A table with a path of one
 * name is a CTE, and is not collected.
 */
export function findReads(statement: DuckQuery): Reads {
  const parameters = new Set<string>();
  const tables = new Set<string>();
  for (const node of listNodes(statement)) {
    if (node.kind === 'parameter') parameters.add(node.name);
    if (node.kind === 'table' && node.path.length > 1) tables.add(node.path.join('.'));
  }
  return { parameters, tables };
}
