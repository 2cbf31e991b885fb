import type * as bound from '../bound/bound.js';
import type { Query } from '../syntax/tree.js';
import { buildExpression } from './build-expression.js';
import { buildQuery } from './build-query.js';
import type { BuildScope } from './build-scope.js';

/**
 * Turns a bound statement back into a syntax tree: every name is unique, and literals have the types that they were
 * converted to. `sourcePath` returns the path of the table of a source.
 */
export function googleSqlTree(statement: bound.Query, sourcePath: BuildScope['sourcePath']): Query {
  let ranges = 0;
  const scope: BuildScope = {
    columns: new Map(),
    ctes: new Map(),
    sourcePath,
    newRange: () => `t${++ranges}`,
    build: (node) => buildExpression(node, scope),
    buildQuery: (query) => buildQuery(query, scope),
  };
  return scope.buildQuery(statement);
}
