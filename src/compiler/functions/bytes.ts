import type * as bound from '../bound/bound.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { mapList } from '../duckdb-sql/plain.js';
import { defineFunctions, type Emitter, nativeFunction } from './definition.js';

/**
 * Extends an emitter for STRING to BYTES, for which DuckDB has few functions: each byte becomes a
 * character from U+0000 to U+00FF, and the result becomes bytes again. BYTES literals already have this
 * form.
 */
export function overBytes(emit: Emitter): Emitter {
  return (args, node, clauses) => {
    if (node.args[0]?.type.kind !== 'BYTES') return emit(args, node, clauses);
    const texts = args.map((arg, index) => asLatin1(arg, node.args[index]));
    return fromLatin1(emit(texts, node, clauses), node);
  };
}

function asLatin1(arg: DuckExpression, expression: bound.Call['args'][number] | undefined) {
  if (expression?.type.kind !== 'BYTES') return arg;
  const latin1 = arg.kind === 'call' && arg.path.at(-1) === 'from_latin1' ? arg.args[0] : undefined;
  if (latin1 !== undefined) return latin1;
  const isText = expression.kind === 'literal' && expression.value !== null;
  return isText ? d.text(expression.value) : d.macro('to_latin1', arg);
}

function fromLatin1(result: DuckExpression, { type }: bound.Call): DuckExpression {
  if (type.kind === 'BYTES') return d.macro('from_latin1', result);
  if (type.kind !== 'ARRAY' || type.element.kind !== 'BYTES') return result;
  return d.choose(
    d.isNull(result),
    d.nullValue,
    mapList(result, (element) => d.macro('from_latin1', element)),
  );
}

const digest =
  (name: string): Emitter =>
  (args) =>
    d.call('unhex', d.call(name, ...args));

/** Calls a JavaScript function with bytes, or with a string's UTF-8 bytes. */
const ofBytes =
  (name: string): Emitter =>
  ([value = d.nullValue], { args }) =>
    d.call(name, args[0]?.type.kind === 'STRING' ? d.call('encode', value) : value);

/**
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/hash_functions
 */
export const bytesFunctions = defineFunctions({
  code_points_to_bytes: ['ARRAY<INT64> -> BYTES'],
  farm_fingerprint: ['TEXT -> INT64', ofBytes('js_farm_fingerprint')],
  from_base32: ['STRING -> BYTES'],
  from_base64: ['STRING -> BYTES'],
  from_hex: ['STRING -> BYTES'],
  md5: ['TEXT -> BYTES', digest('md5')],
  safe_convert_bytes_to_string: ['BYTES -> STRING'],
  sha1: ['TEXT -> BYTES', digest('sha1')],
  sha256: ['TEXT -> BYTES', digest('sha256')],
  sha512: ['TEXT -> BYTES', ofBytes('js_sha512')],
  to_base32: ['BYTES -> STRING'],
  to_base64: ['BYTES -> STRING', nativeFunction('to_base64')],
  to_hex: ['BYTES -> STRING'],
});
