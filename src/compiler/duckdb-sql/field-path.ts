import type { DuckExpression, DuckNode } from './duckdb-sql.js';

/** A column of a table, or a column's field at any depth: `t.metadata.request` is `request` of `metadata`. */
export interface FieldPath {
  readonly table: string;
  readonly column: string;
  /** The names of the fields, outermost first; empty for the column itself. */
  readonly path: readonly string[];
}

const noPath: readonly string[] = [];

/** The path of a node that is a column or a column's field; undefined for any other. */
export function nodeFieldPath(node: DuckNode): FieldPath | undefined {
  let path = noPath;
  let of = node;
  for (; of.kind === 'field'; of = of.of) path = [of.name, ...path];
  return of.kind === 'column' ? { table: of.table, column: of.name, path } : undefined;
}

/** The field of a value at a path. */
export function fieldAtPath(value: DuckExpression, path: readonly string[]): DuckExpression {
  return path.reduce((of, name): DuckExpression => ({ kind: 'field', of, name }), value);
}
