import { words } from '../../values/words.js';
import { call, choose, type DuckExpression, type DuckNode, infix, integer } from './duckdb-sql.js';
import { type DuckMapper, mapChildren, someChild, someNode } from './map-tree.js';

/**
 * Whether an expression could fail on some row. Arithmetic can overflow, a sub-select can have two rows,
 * and only the functions listed here are known not to fail.
 */
export function mayFail(node: DuckNode): boolean {
  return someNode(node, failsItself);
}

function failsItself(node: DuckNode): boolean {
  switch (node.kind) {
    case 'call':
      return !isTotal(node.path);
    case 'cast':
      return !node.safe && !constants.has(node.of.kind) && !wideTypes.has(node.type);
    case 'infix':
      return !totalOperators.has(node.operator);
    case 'prefix':
      return node.operator === '-';
    default:
      return node.kind === 'subquery';
  }
}

const totalOperators: ReadonlySet<string> = new Set([
  ...['AND', 'OR', '=', '<>', '<', '<=', '>', '>=', 'IS DISTINCT FROM', 'IS NOT DISTINCT FROM'],
  ...['LIKE', 'ILIKE', '||'],
]);

const totalFunctions = words(`
  coalesce contains ends_with isfinite isinf isnan js_lower js_upper len length strlen
  list_contains list_extract list_filter list_transform lower ltrim regexp_matches replace rtrim
  starts_with strpos struct_extract trim unnest upper
  any_value avg bool_and bool_or count count_if list max min sum`);

function isTotal([first = '', name]: readonly string[]): boolean {
  if (name === undefined) return totalFunctions.has(first) || first.startsWith('js_safe_');
  return first === 'bq' && name.startsWith('safe_');
}

/** The kinds of constants. */
export const constants = words('text number word parameter');

/** Types to which the compiler's casts never fail. */
const wideTypes = words('VARCHAR DOUBLE HUGEINT DATE TIMESTAMP TIMESTAMPTZ JSON VARCHAR[]');

/** Whether a condition is TRUE or FALSE on every row, never NULL. */
export function isNeverNull(node: DuckExpression): boolean {
  switch (node.kind) {
    case 'subquery':
      return node.form === 'EXISTS';
    case 'word':
      return node.word !== 'NULL';
    case 'prefix':
      return isNeverNull(node.operand);
    case 'call':
      return node.path[0] === 'coalesce' && node.args.some(isNeverNull);
    case 'infix':
      return ['AND', 'OR'].includes(node.operator) && node.operands.every(isNeverNull);
    default:
      return node.kind === 'is-null';
  }
}

/**
 * Writes the condition of a CASE so that DuckDB's planner does not compute constants in it that may fail: it
 * would compute them, and fail, even if the CASE never reaches the condition.
 * `bq.divide(1, 0) > 1` -> `CASE WHEN random() < 2 THEN bq.divide(1, 0) END > 1`
 */
export function unlessPlanned(when: DuckExpression): DuckExpression {
  return mayFail(when) ? defer(when) : when;
}

const deferring: DuckMapper = { expression: defer };

function defer(node: DuckExpression): DuckExpression {
  if (node.kind === 'subquery') return node;
  const deferred = mapChildren(node, deferring);
  if (deferred !== node || !isFailing(node) || readsSomething(node)) return deferred;
  return choose(infix('<', call('random'), integer(2)), node);
}

/** Whether an expression may fail even if its operands do not; a lambda is a part of the enclosing call. */
function isFailing(node: DuckExpression): boolean {
  if (node.kind === 'lambda') return false;
  if (failsItself(node)) return true;
  return node.kind === 'call' && node.args.some(({ kind }) => kind === 'lambda') && mayFail(node);
}

const reads: ReadonlySet<string> = new Set(['column', 'parameter', 'subquery']);

/** @param own the variables of the enclosing lambdas */
function readsSomething(node: DuckNode, own: readonly string[] = []): boolean {
  if (reads.has(node.kind)) return true;
  if (node.kind === 'name') return !own.includes(node.name);
  const inner = node.kind === 'lambda' ? [...own, ...node.parameters] : own;
  return someChild(node, (part) => readsSomething(part, inner));
}
