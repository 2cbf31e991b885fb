import { QueryFault } from '../../errors/query-fault.js';
import {
  call,
  type DuckExpression,
  duckNull,
  infix,
  integer,
  macro,
  text,
} from '../duckdb-sql/duckdb-sql.js';
import { asText } from './as-text.js';
import { overBytes } from './bytes.js';
import { containsSubstr } from './contains-substr.js';
import { defineFunctions, type Emitter, nativeFunction } from './definition.js';

/** Unicode's property White_Space, which TRIM takes off where no characters are given. */
const whitespace =
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';

/** What INITCAP takes as the end of a word. */
const delimiters = `${whitespace}[](){}/|\\<>!?@"#$&~_,.:;*%+-^`;

/** BigQuery's own macro, of BYTES too; arguments that are left out are these. */
function own(name: string, ...defaults: readonly (DuckExpression | undefined)[]): Emitter {
  return overBytes((args) => macro(name, ...withDefaults(args, defaults)));
}

/** DuckDB's own function, of BYTES too. */
function nativeOver(name: string, ...defaults: readonly (DuckExpression | undefined)[]): Emitter {
  return overBytes((args) => call(name, ...withDefaults(args, defaults)));
}

function withDefaults(
  args: readonly DuckExpression[],
  defaults: readonly (DuckExpression | undefined)[],
): readonly DuckExpression[] {
  const rest = defaults.slice(args.length).filter((value) => value !== undefined);
  return [...args, ...rest];
}

/** One function for STRING and another for BYTES. */
function byType(ofString: Emitter, ofBytes: Emitter): Emitter {
  return (args, node, clauses) => {
    const emit = node.args[0]?.type.kind === 'BYTES' ? ofBytes : ofString;
    return emit(args, node, clauses);
  };
}

const lengthOf = byType(nativeFunction('length'), nativeFunction('octet_length'));
const byteLength = byType(nativeFunction('strlen'), nativeFunction('octet_length'));

const test = 'STRING, STRING -> BOOL | BYTES, BYTES -> BOOL';
const ofText = 'STRING -> INT64 | BYTES -> INT64';
const mapped = 'STRING -> STRING | BYTES -> BYTES';
const trimmed = 'STRING, STRING? -> STRING | BYTES, BYTES -> BYTES';
const padded = 'STRING, INT64, STRING? -> STRING | BYTES, INT64, BYTES? -> BYTES';
const part = 'STRING, INT64, INT64? -> STRING | BYTES, INT64, INT64? -> BYTES';
const end = 'STRING, INT64 -> STRING | BYTES, INT64 -> BYTES';
const threeAlike = 'STRING, STRING, STRING -> STRING | BYTES, BYTES, BYTES -> BYTES';
const one = integer(1);
const trimDefaults = [undefined, text(whitespace)] as const;
const padDefaults = [undefined, undefined, text(' ')] as const;

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions */
export const stringFunctions = defineFunctions({
  ascii: [ofText, byType(own('ascii'), own('byte_ascii'))],
  byte_length: [ofText, byteLength],
  char_length: ['STRING -> INT64', nativeFunction('length')],
  character_length: ['STRING -> INT64', nativeFunction('length')],
  chr: ['INT64 -> STRING'],
  code_points_to_string: ['ARRAY<INT64> -> STRING'],
  concat: [
    'STRING, STRING... -> STRING | BYTES, BYTES... -> BYTES | ANY, ANY... -> STRING',
    concat,
  ],
  contains_substr: ['ANY, STRING, json_scope: STRING? -> BOOL', containsSubstr],
  edit_distance: [
    'STRING, STRING, max_distance: INT64? -> INT64 | BYTES, BYTES, max_distance: INT64? -> INT64',
    overBytes(editDistance),
  ],
  ends_with: [test, nativeOver('ends_with')],
  initcap: ['STRING, STRING? -> STRING', own('initcap', undefined, text(delimiters))],
  instr: ['STRING, STRING, INT64?, INT64? -> INT64 | BYTES, BYTES, INT64?, INT64? -> INT64', instr],
  left: [end, own('left')],
  length: [ofText, lengthOf],
  lower: [mapped, byType(nativeFunction('lower'), own('ascii_lower'))],
  lpad: [padded, own('lpad', ...padDefaults)],
  ltrim: [trimmed, nativeOver('ltrim', ...trimDefaults)],
  normalize: ['STRING, PART? -> STRING', normalize('nfc_normalize'), normalForms()],
  normalize_and_casefold: ['STRING, PART? -> STRING', normalize('casefold'), normalForms()],
  octet_length: [ofText, byteLength],
  repeat: [end, own('repeat')],
  replace: [threeAlike, own('replace')],
  reverse: [mapped, own('reverse')],
  right: [end, own('right')],
  rpad: [padded, own('rpad', ...padDefaults)],
  rtrim: [trimmed, nativeOver('rtrim', ...trimDefaults)],
  soundex: ['STRING -> STRING'],
  split: [
    'STRING, STRING? -> ARRAY<STRING> | BYTES, BYTES -> ARRAY<BYTES>',
    own('split', undefined, text(',')),
  ],
  starts_with: [test, nativeOver('starts_with')],
  strpos: ['STRING, STRING -> INT64 | BYTES, BYTES -> INT64', nativeOver('strpos')],
  substr: [part, overBytes(substr)],
  substring: [part, overBytes(substr)],
  to_code_points: ['STRING -> ARRAY<INT64> | BYTES -> ARRAY<INT64>', own('to_code_points')],
  translate: [threeAlike, own('translate')],
  trim: [trimmed, nativeOver('trim', ...trimDefaults)],
  unicode: ['STRING -> INT64'],
  upper: [mapped, byType(nativeFunction('upper'), own('ascii_upper'))],
});

/** The first from the start is found without a list of all places. */
function instr(...[args, node, clauses]: Parameters<Emitter>): DuckExpression {
  const emit =
    args.length === 2 ? nativeOver('strpos') : own('instr', undefined, undefined, one, one);
  return emit(args, node, clauses);
}

/** Values of other types are cast to STRING. */
function concat(...[args, node]: Parameters<Emitter>): DuckExpression {
  const types = node.args.map(({ type }) => type);
  const isMixed = node.type.kind === 'STRING' && types.some(({ kind }) => kind === 'BYTES');
  const other = types.find(({ kind }) => ['ARRAY', 'STRUCT', 'JSON', 'INTERVAL'].includes(kind));
  if (isMixed || other !== undefined) {
    const given = types.map(({ kind }) => kind).join(', ');
    const message = `No matching signature for function CONCAT for argument types: ${given}. Supported signatures: CONCAT(STRING, [STRING, ...]); CONCAT(BYTES, [BYTES, ...])`;
    throw new QueryFault(message, node.at);
  }
  const values =
    node.type.kind === 'BYTES'
      ? args
      : args.map((arg, place) => asText(arg, types[place] ?? { kind: 'STRING' }));
  const [only = duckNull] = values;
  return values.length === 1 ? only : infix('||', ...values);
}

function editDistance([a = duckNull, b = duckNull, most]: readonly DuckExpression[]) {
  const distance = macro('edit_distance', a, b);
  return most === undefined ? distance : macro('no_further', distance, most);
}

/** A place that is known needs no macro, which the engine can do faster. */
function substr(...[args, node]: Parameters<Emitter>): DuckExpression {
  const [value = duckNull, start = duckNull, length] = args;
  const [from, size] = [known(node.args[1]), known(node.args[2])];
  if (
    from === undefined ||
    from < 0 ||
    from > 4e9 ||
    (length !== undefined && size === undefined)
  ) {
    return macro('substr', value, start, length ?? integer(4e9));
  }
  if (size !== undefined && size < 0) return macro('substr', value, start, length ?? duckNull);
  const rest = size === undefined ? [] : [integer(Math.min(size, 4e9))];
  return call('substring', value, integer(Math.max(from, 1)), ...rest);
}

function known(argument: Parameters<Emitter>[1]['args'][number] | undefined): number | undefined {
  const isKnown = argument?.kind === 'literal' && argument.value !== null;
  return isKnown ? Number(argument.value) : undefined;
}

function normalForms(): readonly string[] {
  return ['NFC', 'NFD', 'NFKC', 'NFKD'];
}

/** The engine knows NFC alone. */
function normalize(name: 'nfc_normalize' | 'casefold'): Emitter {
  return ([value = duckNull, form], { at }) => {
    if (form?.kind === 'text' && form.value !== 'NFC') {
      throw new QueryFault(`Normal form ${form.value} is not supported; NFC is`, at);
    }
    return name === 'casefold' ? macro(name, value) : call(name, value);
  };
}
