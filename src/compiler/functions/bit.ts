import { nullValue } from '../duckdb-sql/duckdb-sql.js';
import {
  byArgument,
  defineFunctions,
  type Emitter,
  macroWithLet,
  nativeFunction,
  nativeOperator,
} from './definition.js';

/**
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/operators#bitwise_operators
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/bit_functions
 */
export const bitFunctions = defineFunctions({
  '$&': bitwise('bytes_and', nativeOperator('&')),
  '$|': bitwise('bytes_or', nativeOperator('|')),
  '$^': bitwise('bytes_xor', nativeFunction('xor')),
  '$<<': shift('shift_left'),
  '$>>': shift('shift_right'),
  $invert: [
    'INT64 -> INT64 | BYTES -> BYTES',
    onBytes('bytes_not', ([operand = nullValue]) => ({ kind: 'prefix', operator: '~', operand })),
  ],
  bit_count: [
    'INT64 -> INT64 | BYTES -> INT64',
    onBytes('bytes_bit_count', nativeFunction('bit_count')),
  ],
});

function onBytes(name: string, otherwise: Emitter): Emitter {
  return byArgument({ BYTES: macroWithLet(name) }, otherwise);
}

function bitwise(name: string, ofIntegers: Emitter) {
  return ['INT64, INT64 -> INT64 | BYTES, BYTES -> BYTES', onBytes(name, ofIntegers)] as const;
}

function shift(name: string) {
  const emit = onBytes(`bytes_${name}`, macroWithLet(name));
  return ['INT64, INT64 -> INT64 | BYTES, INT64 -> BYTES', emit] as const;
}
