import type { DuckExpression } from './duckdb-sql.js';

/**
 * Whether an expression could fail on some row. Arithmetic can overflow, a sub-select can have two rows,
 * and of functions only those listed here are known not to fail.
 */
export function mayFail(node: object): boolean {
  if ('kind' in node && failsItself(node as DuckExpression)) return true;
  return Object.values(node).some(
    (part: unknown) => typeof part === 'object' && part !== null && mayFail(part),
  );
}

function failsItself(node: DuckExpression): boolean {
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

const totalFunctions: ReadonlySet<string> = new Set([
  ...['coalesce', 'contains', 'ends_with', 'isfinite', 'isinf', 'isnan', 'len', 'length'],
  ...['list_contains', 'list_extract', 'lower', 'ltrim', 'regexp_matches', 'replace', 'rtrim'],
  ...['starts_with', 'strpos', 'struct_extract', 'trim', 'try', 'upper'],
]);

function isTotal([first = '', name]: readonly string[]): boolean {
  if (name === undefined) return totalFunctions.has(first);
  return first === 'bq' && name.startsWith('safe_');
}

const constants: ReadonlySet<string> = new Set(['text', 'number', 'word', 'parameter']);

/** Types that hold every value which the compiler casts to them. */
const wideTypes: ReadonlySet<string> = new Set([
  ...['VARCHAR', 'DOUBLE', 'HUGEINT', 'DATE', 'TIMESTAMP', 'TIMESTAMPTZ', 'JSON', 'VARCHAR[]'],
]);

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
