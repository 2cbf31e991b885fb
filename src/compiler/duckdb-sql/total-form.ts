import type { DuckExpression } from './duckdb-sql.js';
import { failingMacros } from './failing-macros.js';
import { type DuckMapper, listNodes, mapChildren, mapTree } from './map-tree.js';

/**
 * Rewrites a call to return NULL where it would fail: it calls the total twins of its macros and JavaScript functions,
 * and its casts become TRY_CAST. DuckDB's TRY would run each vector with a failing row again, row by row, and could
 * crash.
 * @param args the arguments of the call, which may still fail. They are recognised by identity: an emitter must not
 * copy them.
 */
export function totalForm(node: DuckExpression, args: readonly object[]): DuckExpression {
  const own = new Set(listNodes(args));
  const write: DuckMapper = {
    expression: (part) => (own.has(part) ? part : totalNode(mapChildren(part, write))),
  };
  return mapTree(node, write);
}

function totalNode(node: DuckExpression): DuckExpression {
  if (node.kind === 'cast') return { ...node, safe: true };
  return node.kind === 'call' ? { ...node, path: totalPath(node.path) } : node;
}

function totalPath(path: readonly string[]): readonly string[] {
  const [first = '', name] = path;
  if (name !== undefined) return failingMacros.has(name) ? [first, `safe_${name}`] : path;
  return [first.replace(/^js_(?!safe_)/, 'js_safe_')];
}
