import { words } from '../../values/words.js';
import type { DuckCall, DuckNode } from './duckdb-sql.js';
import { failingMacros } from './failing-macros.js';
import { someTable } from './list-tables.js';
import { someChild } from './map-tree.js';

/**
 * Whether a part fails for some values of a column, as `cast(t.s as int64)` does. Expressions that do not
 * fail in practice, such as the sum of two dates, count as safe, so that their conditions may move to the scan.
 */
export function failsOnData(node: DuckNode): boolean {
  if (node.kind === 'call') {
    const { path, args } = node;
    if (path.length === 1 && guards.has(path[0] ?? '')) return false;
    if (isFailing(path, args)) return true;
  }
  if (isArithmetic(node) && readsColumn(node)) return true;
  return someChild(node.kind === 'subquery' ? [node.operand] : node, failsOnData);
}

/** The engine's functions that never fail, or only for times that no log has. */
const guards: ReadonlySet<string> = new Set(['make_timestamptz', 'make_timestamp']);

/** The only argument for which a macro fails, by its index. */
const failingArguments: Readonly<Record<string, number>> = {
  divide: 1,
  div: 1,
  from_civil: 1,
  json_keys: 1,
  left: 1,
  like_pattern: 0,
  lpad: 1,
  mod: 1,
  numeric_div: 1,
  numeric_divide: 1,
  numeric_mod: 1,
  regexp_instr: 1,
  repeat: 1,
  replace: 2,
  right: 1,
  rpad: 1,
  shift_left: 1,
  shift_right: 1,
  substr: 2,
  to_civil: 1,
  translate: 1,
};

/** JavaScript functions that never fail on what the compiler passes them. */
const totalScripts = words(`
  js_casefold js_json_pretty js_lower js_normalize js_search js_undeclared_members js_upper`);

function isFailing([first = '', name]: readonly string[], args: DuckCall['args']): boolean {
  if (name === undefined) {
    return /^js_(?!safe_)/.test(first) && !totalScripts.has(first) && readsColumn(args);
  }
  if (first !== 'bq' || !failingMacros.has(name)) return false;
  const index = failingArguments[name];
  return readsColumn(index === undefined ? args : (args[index] ?? []));
}

function isArithmetic(node: DuckNode): boolean {
  if (node.kind === 'prefix') return node.operator === '-';
  return node.kind === 'infix' && ['+', '-', '*'].includes(node.operator);
}

function readsColumn(node: object): boolean {
  return someTable(node, () => true);
}
