import type { DuckQuery } from './duckdb-sql.js';

/** The parameters and tables that a statement reads; tables as `logs.web`. */
export interface Reads {
  readonly parameters: ReadonlySet<string>;
  readonly tables: ReadonlySet<string>;
}

/** Collects what a statement reads, anywhere in its tree. */
export function readsOf(statement: DuckQuery): Reads {
  const reads = { parameters: new Set<string>(), tables: new Set<string>() };
  collect(statement, reads);
  return reads;
}

interface AnyNode {
  readonly kind?: unknown;
  readonly name?: unknown;
  readonly path?: unknown;
}

/** A table with a path of one name is a CTE, and not collected. */
function collect(node: unknown, reads: Record<keyof Reads, Set<string>>): void {
  if (typeof node !== 'object' || node === null) return;
  const { kind, name, path } = node as AnyNode;
  if (kind === 'parameter' && typeof name === 'string') reads.parameters.add(name);
  if (kind === 'table' && Array.isArray(path) && path.length > 1) reads.tables.add(path.join('.'));
  if (Array.isArray(node)) {
    for (const item of node) collect(item, reads);
  } else {
    // `for … in` allocates no list of keys, which would be most of the cost of this walk.
    for (const part in node) collect((node as Readonly<Record<string, unknown>>)[part], reads);
  }
}
