import type { DuckExpression } from '../duckdb-sql.js';

/** A column of a table, or a field at some depth of one: `t.metadata.request` is `request` of `metadata`. */
export interface Chain {
  readonly table: string;
  readonly column: string;
  /** The names of the fields, the outermost first; empty: the column itself. */
  readonly path: readonly string[];
}

/** An expression as a chain; undefined if it is something else. */
export function chainOf(node: DuckExpression): Chain | undefined {
  if (node.kind === 'column') return { table: node.table, column: node.name, path: [] };
  if (node.kind !== 'field') return undefined;
  const of = chainOf(node.of);
  return of && { ...of, path: [...of.path, node.name] };
}

/** The field of a value at a path. */
export function fieldAtPath(value: DuckExpression, path: readonly string[]): DuckExpression {
  return path.reduce((of, name): DuckExpression => ({ kind: 'field', of, name }), value);
}
