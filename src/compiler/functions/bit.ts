import { call, type DuckExpression, infix } from '../duckdb-sql/duckdb-sql.js';
import { defineFunctions, type Emitter, macroWithLet } from './definition.js';

/**
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/operators#bitwise_operators
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/bit_functions
 */
export const bitFunctions = defineFunctions({
  '$&': bitwise('bytes_and', (a, b) => infix('&', a, b)),
  '$|': bitwise('bytes_or', (a, b) => infix('|', a, b)),
  '$^': bitwise('bytes_xor', (a, b) => call('xor', a, b)),
  '$<<': shift('shift_left'),
  '$>>': shift('shift_right'),
  $invert: [
    'INT64 -> INT64 | BYTES -> BYTES',
    onBytes('bytes_not', ([operand = none]) => ({ kind: 'prefix', operator: '~', operand })),
  ],
  bit_count: [
    'INT64 -> INT64 | BYTES -> INT64',
    onBytes('bytes_bit_count', ([x = none]) => call('bit_count', x)),
  ],
});

const none: DuckExpression = { kind: 'word', word: 'NULL' };

function onBytes(name: string, otherwise: Emitter): Emitter {
  return (args, node, clauses) =>
    (node.args[0]?.type.kind === 'BYTES' ? macroWithLet(name) : otherwise)(args, node, clauses);
}

function bitwise(name: string, write: (a: DuckExpression, b: DuckExpression) => DuckExpression) {
  return [
    'INT64, INT64 -> INT64 | BYTES, BYTES -> BYTES',
    onBytes(name, ([a = none, b = none]) => write(a, b)),
  ] as const;
}

function shift(name: string) {
  return [
    'INT64, INT64 -> INT64 | BYTES, INT64 -> BYTES',
    onBytes(`bytes_${name}`, macroWithLet(name)),
  ] as const;
}
