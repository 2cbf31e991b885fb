import type { BoundCall } from '../bound/bound.js';
import {
  call,
  choose,
  type DuckExpression,
  isNull,
  macro,
  text,
} from '../duckdb-sql/duckdb-sql.js';
import { mapList } from '../duckdb-sql/plain.js';
import { type How, native, rows } from './definition.js';

/**
 * The same of BYTES: through texts that have a character from U+0000 to U+00FF for each byte, since
 * DuckDB knows little of bytes. A literal is such a text already.
 */
export function overBytes(how: How): How {
  return (args, bound, clauses) => {
    if (bound.args[0]?.type.kind !== 'BYTES') return how(args, bound, clauses);
    const texts = args.map((arg, place) => asLatin1(arg, bound.args[place]));
    return fromLatin1(how(texts, bound, clauses), bound);
  };
}

function asLatin1(arg: DuckExpression, bound: BoundCall['args'][number] | undefined) {
  if (bound?.type.kind !== 'BYTES') return arg;
  const made = arg.kind === 'call' && arg.path.at(-1) === 'from_latin1' ? arg.args[0] : undefined;
  if (made !== undefined) return made;
  const isKnown = bound.kind === 'literal' && bound.value !== null;
  return isKnown ? text(bound.value) : macro('to_latin1', arg);
}

function fromLatin1(result: DuckExpression, { type }: BoundCall): DuckExpression {
  if (type.kind === 'BYTES') return macro('from_latin1', result);
  if (type.kind !== 'ARRAY' || type.element.kind !== 'BYTES') return result;
  return choose(
    isNull(result),
    { kind: 'word', word: 'NULL' },
    mapList(result, (element) => macro('from_latin1', element)),
  );
}

const digest =
  (name: string): How =>
  (args) =>
    call('unhex', call(name, ...args));

/**
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/hash_functions
 */
export const bytesFunctions = rows({
  code_points_to_bytes: ['ARRAY<INT64> -> BYTES'],
  from_base32: ['STRING -> BYTES'],
  from_base64: ['STRING -> BYTES'],
  from_hex: ['STRING -> BYTES'],
  md5: ['STRING -> BYTES | BYTES -> BYTES', digest('md5')],
  safe_convert_bytes_to_string: ['BYTES -> STRING'],
  sha1: ['STRING -> BYTES | BYTES -> BYTES', digest('sha1')],
  sha256: ['STRING -> BYTES | BYTES -> BYTES', digest('sha256')],
  to_base32: ['BYTES -> STRING'],
  to_base64: ['BYTES -> STRING', native('to_base64')],
  to_hex: ['BYTES -> STRING'],
});
