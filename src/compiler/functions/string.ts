import { QueryFault } from '../../errors/query-fault.js';
import type * as bound from '../bound/bound.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { overBytes } from './bytes.js';
import { scalarToText } from './cast-scalar.js';
import { byArgument, defineFunctions, type Emitter, nativeFunction } from './definition.js';
import { mapCase } from './letter-case.js';
import { containsSubstr } from './search.js';

/** The characters with Unicode's property White_Space, which TRIM removes by default. */
const whitespace =
  '\t\n\v\f\r \u0085\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000';

/** The default word delimiters of INITCAP. */
const delimiters = `${whitespace}[](){}/|\\<>!?@"#$&~_,.:;*%+-^`;

/** Stands for an argument without a default, in a list of defaults. */
const required = d.nullValue;

/**
 * Emitters of calls, also for BYTES. The defaults are in the order of the arguments, with {@link required} for an
 * argument that must be given; an argument that is left out gets its default.
 */
function callsOverBytes(write: typeof d.call) {
  return (name: string, ...defaults: readonly DuckExpression[]): Emitter =>
    overBytes((args) => write(name, ...args, ...defaults.slice(args.length)));
}

const macroOverBytes = callsOverBytes(d.macro);
const nativeOverBytes = callsOverBytes(d.call);

/** Calls the macro of this name; of BYTES, the one whose name ends in `_bytes`. */
function macroByType(name: string, ...defaults: readonly DuckExpression[]): Emitter {
  return (args, node) => {
    const rest = defaults.slice(args.length);
    if (node.args[0]?.type.kind !== 'BYTES') return d.macro(name, ...args, ...rest);
    return d.macro(`${name}_bytes`, ...args, ...rest.map((value) => d.call('encode', value)));
  };
}

const octets = { BYTES: nativeFunction('octet_length') };
const normalForms = ['NFC', 'NFD', 'NFKC', 'NFKD'];
const byteLength = byArgument(octets, nativeFunction('strlen'));

const trimmed = 'STRING, STRING? -> STRING | BYTES, BYTES -> BYTES';
const one = d.integer(1);
const blanks = [required, d.text(whitespace)];
const padding = [required, required, d.text(' ')];

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions */
export const stringFunctions = defineFunctions({
  ascii: [
    'TEXT -> INT64',
    byArgument({ BYTES: macroOverBytes('byte_ascii') }, macroOverBytes('ascii')),
  ],
  byte_length: ['TEXT -> INT64', byteLength],
  char_length: ['STRING -> INT64', nativeFunction('length')],
  character_length: ['STRING -> INT64', nativeFunction('length')],
  chr: ['INT64 -> STRING'],
  code_points_to_string: ['ARRAY<INT64> -> STRING'],
  concat: ['TEXT, TEXT... -> TEXT | ANY, ANY... -> STRING', concat],
  contains_substr: ['ANY, STRING, json_scope: STRING? -> BOOL', containsSubstr],
  edit_distance: ['TEXT, TEXT, max_distance: INT64? -> INT64', overBytes(editDistance)],
  ends_with: ['TEXT, TEXT -> BOOL', nativeOverBytes('ends_with')],
  initcap: ['STRING, STRING? -> STRING', macroOverBytes('initcap', required, d.text(delimiters))],
  instr: ['TEXT, TEXT, INT64?, INT64? -> INT64', overBytes(instr)],
  left: ['TEXT, INT64 -> TEXT', macroOverBytes('left')],
  length: ['TEXT -> INT64', byArgument(octets, nativeFunction('length'))],
  lower: ['TEXT -> TEXT', mapLetters('lower')],
  lpad: ['TEXT, INT64, TEXT? -> TEXT', macroByType('lpad', ...padding)],
  ltrim: [trimmed, nativeOverBytes('ltrim', ...blanks)],
  normalize: ['STRING, PART? -> STRING', normalize, normalForms],
  normalize_and_casefold: ['STRING, PART? -> STRING', casefold, normalForms],
  octet_length: ['TEXT -> INT64', byteLength],
  repeat: ['TEXT, INT64 -> TEXT', macroByType('repeat')],
  replace: ['TEXT, TEXT, TEXT -> TEXT', macroOverBytes('replace')],
  reverse: ['TEXT -> TEXT', macroOverBytes('reverse')],
  right: ['TEXT, INT64 -> TEXT', macroOverBytes('right')],
  rpad: ['TEXT, INT64, TEXT? -> TEXT', macroByType('rpad', ...padding)],
  rtrim: [trimmed, nativeOverBytes('rtrim', ...blanks)],
  soundex: ['STRING -> STRING'],
  split: [
    'STRING, STRING? -> ARRAY<STRING> | BYTES, BYTES -> ARRAY<BYTES>',
    macroOverBytes('split', required, d.text(',')),
  ],
  starts_with: ['TEXT, TEXT -> BOOL', nativeOverBytes('starts_with')],
  strpos: ['TEXT, TEXT -> INT64', nativeOverBytes('strpos')],
  substr: ['TEXT, INT64, INT64? -> TEXT', overBytes(substr)],
  substring: ['TEXT, INT64, INT64? -> TEXT', overBytes(substr)],
  to_code_points: ['TEXT -> ARRAY<INT64>', macroOverBytes('to_code_points')],
  translate: ['TEXT, TEXT, TEXT -> TEXT', macroOverBytes('translate')],
  trim: [trimmed, nativeOverBytes('trim', ...blanks)],
  unicode: ['STRING -> INT64'],
  upper: ['TEXT -> TEXT', mapLetters('upper')],
});

/** LOWER and UPPER; of BYTES, they map ASCII letters only. */
function mapLetters(name: 'lower' | 'upper'): Emitter {
  const ofBytes = macroOverBytes(`ascii_${name}`);
  return byArgument({ BYTES: ofBytes }, ([value = d.nullValue]) => mapCase(name, value));
}

/** INSTR; DuckDB's function finds the first occurrence without listing all of them. */
function instr(args: readonly DuckExpression[]): DuckExpression {
  return args.length === 2
    ? d.call('strpos', ...args)
    : d.macro('instr', ...args, ...[one, one].slice(args.length - 2));
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
  const [value = d.nullValue, start = d.nullValue, length = d.integer(4e9)] = args;
  const from = knownNumber(node.args[1]);
  const size = args.length === 2 ? 0 : knownNumber(node.args[2]);
  if (from < 0 || from > 4e9 || size < 0) return d.macro('substr', value, start, length);
  const rest = args.length === 2 ? [] : [d.integer(Math.min(size, 4e9))];
  return d.call('substring', value, d.integer(Math.max(from, 1)), ...rest);
}

/** The value of a literal; -1 for NULL and for other expressions. */
function knownNumber(argument: bound.Expression | undefined): number {
  return argument?.kind === 'literal' ? Number(argument.value ?? -1) : -1;
}

/** NORMALIZE; DuckDB itself only has NFC. */
function normalize([value = d.nullValue, form]: readonly DuckExpression[]): DuckExpression {
  const isOther = form?.kind === 'text' && form.value !== 'NFC';
  return isOther ? d.call('js_normalize', value, form) : d.call('nfc_normalize', value);
}

function casefold([value = d.nullValue, form = d.text('NFC')]: readonly DuckExpression[]) {
  return d.call('js_casefold', value, form);
}
