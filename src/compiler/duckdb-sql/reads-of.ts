import type { DuckQuery } from './duckdb-sql.js';
import { type AnyNode, someNode } from './map-tree.js';

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
  someNode(statement, (node) => {
    const { kind, name, path } = node as AnyNode;
    if (kind === 'parameter' && typeof name === 'string') parameters.add(name);
    if (kind === 'table' && path !== undefined && path.length > 1) tables.add(path.join('.'));
    return false;
  });
  return { parameters, tables };
}
