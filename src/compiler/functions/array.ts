import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { duckType } from '../duckdb-sql/duckdb-type.js';
import { letOnce } from '../duckdb-sql/let.js';
import { arrayMembership } from './compare.js';
import { defineFunctions, type Emitter, macroWithLet, nativeFunction } from './definition.js';
import { textElements, textPart } from './json-parts.js';

const anyArrays = 'ARRAY<T>, ARRAY<T> -> BOOL';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/array_functions */
export const arrayFunctions = defineFunctions({
  array_concat: ['ARRAY<T>, ARRAY<T>... -> ARRAY<T>', joinArrays],
  array_first: ['ARRAY<T> -> T', typed('array_first')],
  array_includes: ['ARRAY<T>, T -> BOOL'],
  array_includes_all: [anyArrays],
  array_includes_any: [anyArrays],
  array_is_distinct: ['ARRAY<T> -> BOOL'],
  array_last: ['ARRAY<T> -> T', typed('array_last')],
  array_length: ['ARRAY<T> -> INT64', nativeFunction('len')],
  array_reverse: ['ARRAY<T> -> ARRAY<T>', nativeFunction('list_reverse')],
  array_slice: ['ARRAY<T>, INT64, INT64 -> ARRAY<T>'],
  array_to_string: ['ARRAY<TEXT>, TEXT, TEXT? -> TEXT', toText],
  generate_array: [
    'INT64, INT64, INT64? -> ARRAY<INT64> | NUMERIC, NUMERIC, NUMERIC? -> ARRAY<NUMERIC> | FLOAT64, FLOAT64, FLOAT64? -> ARRAY<FLOAT64>',
    generate,
  ],
});

/**
 * Calls a macro. Casts its result for a constant NULL: without a type, the engine would not find the enclosing
 * function.
 */
function typed(name: string): Emitter {
  return (args, node, clauses) => {
    const value = macroWithLet(name)(args, node, clauses);
    return args.some(isNull) ? d.castTo(value, duckType(node.type)) : value;
  };
}

function isNull(value: DuckExpression): boolean {
  return value === d.nullValue || (value.kind === 'cast' && isNull(value.of));
}

/**
 * Concatenates arrays up to BigQuery's maximum length: nested concatenations could double until they
 * fill the memory. The result is NULL if any array is NULL.
 */
export function joinArrays(...[args, { type }]: Parameters<Emitter>): DuckExpression {
  if (args.length === 1) return args[0] ?? d.nullValue;
  const joined = letOnce(args, (light) => d.macro('bounded_array', d.infix('||', ...light)));
  return d.castTo(joined, duckType(type));
}

/** ARRAY_TO_STRING; BYTES are joined as hexadecimal digits. */
function toText(...[args, { type }]: Parameters<Emitter>): DuckExpression {
  const isBytes = type.kind === 'BYTES';
  const [list = d.nullValue, ...texts] = args;
  const hexed = isBytes ? texts.map((text) => d.call('hex', text)) : texts;
  const isConstant = texts.every(({ kind }) => kind === 'text');
  const name = `array_to_text${texts.length === 1 ? '' : '_with'}${isConstant ? '' : '_by'}`;
  const joined = d.macro(name, isBytes ? d.macro('hex_all', list) : list, ...hexed);
  return isBytes ? d.call('unhex', joined) : joined;
}

/** BigQuery's limit for constant arguments, and ours for arguments that depend on a row. */
const maxElements = { constant: 1_048_575, variable: 10_000 };

function generate(...[[from = d.nullValue, to = d.nullValue, step], node]: Parameters<Emitter>) {
  const { args, type } = node;
  const isConstant = args.every((arg) => arg.kind === 'literal');
  const isInteger = type.kind !== 'ARRAY' || type.element.kind === 'INT64';
  const name = isInteger ? 'generate_array' : `generate_array_${type.element.kind.toLowerCase()}`;
  const limit = d.integer(isConstant ? maxElements.constant : maxElements.variable);
  return d.macro(name, from, to, step ?? d.integer(1), limit);
}

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/operators#array_subscript_operator */
export const subscripts = defineFunctions({
  $offset: ['ARRAY<T>, INT64 -> T', typed('at_offset')],
  $ordinal: ['ARRAY<T>, INT64 -> T', typed('at_ordinal')],
  $safe_offset: ['ARRAY<T>, INT64 -> T', typed('safe_offset')],
  $safe_ordinal: ['ARRAY<T>, INT64 -> T', typed('safe_ordinal')],
  $json_at: ['JSON, STRING -> JSON | JSON, INT64 -> JSON', macroWithLet('json_at')],
  $text_part: ['STRING, STRING -> STRING | STRING, INT64 -> STRING', textPart],
  $text_elements: ['STRING -> ARRAY<STRING>', textElements],
  '$IN UNNEST': ['T, ARRAY<T> -> BOOL', arrayMembership],
});
