import { QueryFault } from '../../errors/query-fault.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { overBytes } from './bytes.js';
import { scalarToText } from './cast-scalar.js';
import { containsSubstr } from './contains-substr.js';
import { defineFunctions, type Emitter, nativeFunction } from './definition.js';
import { mapCase } from './letter-case.js';

/** The characters with Unicode's property White_Space, which TRIM removes by default. */
const whitespace =
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';

/** The default word delimiters of INITCAP. */
const delimiters = `${whitespace}[](){}/|\\<>!?@"#$&~_,.:;*%+-^`;

/** Calls a macro, also for BYTES. Missing arguments get these defaults. */
function macroOverBytes(
  name: string,
  ...defaults: readonly (DuckExpression | undefined)[]
): Emitter {
  return overBytes((args) => d.macro(name, ...withDefaults(args, defaults)));
}

/** Calls a DuckDB function, also for BYTES. Missing arguments get these defaults. */
function nativeOverBytes(
  name: string,
  ...defaults: readonly (DuckExpression | undefined)[]
): Emitter {
  return overBytes((args) => d.call(name, ...withDefaults(args, defaults)));
}

function withDefaults(
  args: readonly DuckExpression[],
  defaults: readonly (DuckExpression | undefined)[],
): readonly DuckExpression[] {
  const rest = defaults.slice(args.length).filter((value) => value !== undefined);
  return [...args, ...rest];
}

/** Chooses the emitter by the type of the first argument. */
function byType(ofString: Emitter, ofBytes: Emitter): Emitter {
  return (args, node, clauses) => {
    const emit = node.args[0]?.type.kind === 'BYTES' ? ofBytes : ofString;
    return emit(args, node, clauses);
  };
}

const lengthOf = byType(nativeFunction('length'), nativeFunction('octet_length'));
const byteLength = byType(nativeFunction('strlen'), nativeFunction('octet_length'));

const trimmed = 'STRING, STRING? -> STRING | BYTES, BYTES -> BYTES';
const one = d.integer(1);
const trimDefaults = [undefined, d.text(whitespace)] as const;
const padDefaults = [undefined, undefined, d.text(' ')] as const;

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions */
export const stringFunctions = defineFunctions({
  ascii: ['TEXT -> INT64', byType(macroOverBytes('ascii'), macroOverBytes('byte_ascii'))],
  byte_length: ['TEXT -> INT64', byteLength],
  char_length: ['STRING -> INT64', nativeFunction('length')],
  character_length: ['STRING -> INT64', nativeFunction('length')],
  chr: ['INT64 -> STRING'],
  code_points_to_string: ['ARRAY<INT64> -> STRING'],
  concat: ['TEXT, TEXT... -> TEXT | ANY, ANY... -> STRING', concat],
  contains_substr: ['ANY, STRING, json_scope: STRING? -> BOOL', containsSubstr],
  edit_distance: ['TEXT, TEXT, max_distance: INT64? -> INT64', overBytes(editDistance)],
  ends_with: ['TEXT, TEXT -> BOOL', nativeOverBytes('ends_with')],
  initcap: ['STRING, STRING? -> STRING', macroOverBytes('initcap', undefined, d.text(delimiters))],
  instr: ['TEXT, TEXT, INT64?, INT64? -> INT64', instr],
  left: ['TEXT, INT64 -> TEXT', macroOverBytes('left')],
  length: ['TEXT -> INT64', lengthOf],
  lower: [
    'TEXT -> TEXT',
    byType(([value = d.nullValue]) => mapCase('lower', value), macroOverBytes('ascii_lower')),
  ],
  lpad: ['TEXT, INT64, TEXT? -> TEXT', macroOverBytes('lpad', ...padDefaults)],
  ltrim: [trimmed, nativeOverBytes('ltrim', ...trimDefaults)],
  normalize: ['STRING, PART? -> STRING', normalize, normalForms()],
  normalize_and_casefold: ['STRING, PART? -> STRING', casefold, normalForms()],
  octet_length: ['TEXT -> INT64', byteLength],
  repeat: ['TEXT, INT64 -> TEXT', macroOverBytes('repeat')],
  replace: ['TEXT, TEXT, TEXT -> TEXT', macroOverBytes('replace')],
  reverse: ['TEXT -> TEXT', macroOverBytes('reverse')],
  right: ['TEXT, INT64 -> TEXT', macroOverBytes('right')],
  rpad: ['TEXT, INT64, TEXT? -> TEXT', macroOverBytes('rpad', ...padDefaults)],
  rtrim: [trimmed, nativeOverBytes('rtrim', ...trimDefaults)],
  soundex: ['STRING -> STRING'],
  split: [
    'STRING, STRING? -> ARRAY<STRING> | BYTES, BYTES -> ARRAY<BYTES>',
    macroOverBytes('split', undefined, d.text(',')),
  ],
  starts_with: ['TEXT, TEXT -> BOOL', nativeOverBytes('starts_with')],
  strpos: ['TEXT, TEXT -> INT64', nativeOverBytes('strpos')],
  substr: ['TEXT, INT64, INT64? -> TEXT', overBytes(substr)],
  substring: ['TEXT, INT64, INT64? -> TEXT', overBytes(substr)],
  to_code_points: ['TEXT -> ARRAY<INT64>', macroOverBytes('to_code_points')],
  translate: ['TEXT, TEXT, TEXT -> TEXT', macroOverBytes('translate')],
  trim: [trimmed, nativeOverBytes('trim', ...trimDefaults)],
  unicode: ['STRING -> INT64'],
  upper: [
    'TEXT -> TEXT',
    byType(([value = d.nullValue]) => mapCase('upper', value), macroOverBytes('ascii_upper')),
  ],
});

/** INSTR; DuckDB's function finds the first occurrence without listing all of them. */
function instr(...[args, node, clauses]: Parameters<Emitter>): DuckExpression {
  const emit =
    args.length === 2
      ? nativeOverBytes('strpos')
      : macroOverBytes('instr', undefined, undefined, one, one);
  return emit(args, node, clauses);
}

/** CONCAT, which casts values of other types to STRING. */
function concat(...[args, node]: Parameters<Emitter>): DuckExpression {
  const types = node.args.map(({ type }) => type);
  const isMixed = node.type.kind === 'STRING' && types.some(({ kind }) => kind === 'BYTES');
  const other = types.find(({ kind }) => ['ARRAY', 'STRUCT', 'JSON', 'INTERVAL'].includes(kind));
  if (isMixed || other !== undefined) {
    const kinds = types.map(({ kind }) => kind).join(', ');
    const message = `No matching signature for function CONCAT for argument types: ${kinds}. Supported signatures: CONCAT(STRING, [STRING, ...]); CONCAT(BYTES, [BYTES, ...])`;
    throw new QueryFault(message, node.at);
  }
  const values =
    node.type.kind === 'BYTES'
      ? args
      : args.map((arg, index) => scalarToText(arg, types[index] ?? { kind: 'STRING' }));
  return d.infix('||', ...values);
}

function editDistance([a = d.nullValue, b = d.nullValue, max]: readonly DuckExpression[]) {
  const distance = d.macro('edit_distance', a, b);
  return max === undefined ? distance : d.macro('no_further', distance, max);
}

/** With a literal start and length, DuckDB's own function is faster than the macro. */
function substr(...[args, node]: Parameters<Emitter>): DuckExpression {
  const [value = d.nullValue, start = d.nullValue, length] = args;
  const [from, size] = [literalNumber(node.args[1]), literalNumber(node.args[2])];
  if (
    from === undefined ||
    from < 0 ||
    from > 4e9 ||
    (length !== undefined && size === undefined)
  ) {
    return d.macro('substr', value, start, length ?? d.integer(4e9));
  }
  if (size !== undefined && size < 0) return d.macro('substr', value, start, length ?? d.nullValue);
  const rest = size === undefined ? [] : [d.integer(Math.min(size, 4e9))];
  return d.call('substring', value, d.integer(Math.max(from, 1)), ...rest);
}

function literalNumber(
  argument: Parameters<Emitter>[1]['args'][number] | undefined,
): number | undefined {
  const isKnown = argument?.kind === 'literal' && argument.value !== null;
  return isKnown ? Number(argument.value) : undefined;
}

function normalForms(): readonly string[] {
  return ['NFC', 'NFD', 'NFKC', 'NFKD'];
}

/** NORMALIZE; DuckDB itself only has NFC. */
function normalize([value = d.nullValue, form]: readonly DuckExpression[]): DuckExpression {
  const isOther = form?.kind === 'text' && form.value !== 'NFC';
  return isOther ? d.call('js_normalize', value, form) : d.call('nfc_normalize', value);
}

function casefold([value = d.nullValue, form = d.text('NFC')]: readonly DuckExpression[]) {
  return d.call('js_casefold', value, form);
}
