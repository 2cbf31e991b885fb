import type * as bound from '../bound/bound.js';
import type { Expression, Query } from '../syntax/tree.js';

/** The names of a CTE and its columns. */
export interface NamedCte {
  readonly name: string;
  readonly columns: readonly string[];
}

/** The state that all parts of a statement share while it is turned back into a syntax tree. */
export interface BuildScope {
  /** The reference to each column in scope, by the column's id. */
  readonly columns: Map<number, Expression>;
  /** The statement's CTEs, by id. */
  readonly ctes: Map<number, NamedCte>;
  /** The path of the table of a source, such as `['project', 'dataset', 'edge_logs']`. */
  readonly sourcePath: (source: string) => readonly string[];
  /** Returns a new name for an item of FROM. */
  readonly newRange: () => string;
  /** Builds the syntax tree of an expression. */
  readonly build: (node: bound.Expression) => Expression;
  /** Builds the syntax tree of a query. */
  readonly buildQuery: (query: bound.Query) => Query;
}
