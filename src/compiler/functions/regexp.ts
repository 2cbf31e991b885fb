import { QueryFault } from '../../errors/query-fault.js';
import type { BoundExpression } from '../bound/bound.js';
import {
  call,
  choose,
  type DuckExpression,
  duckNull,
  infix,
  integer,
  macro,
} from '../duckdb-sql/duckdb-sql.js';
import { overBytes } from './bytes.js';
import { defineFunctions, type Emitter, nativeFunction } from './definition.js';

const extracted =
  'STRING, STRING, INT64?, INT64? -> STRING | BYTES, BYTES, INT64?, INT64? -> BYTES';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#regexp_contains */
export const regexpFunctions = defineFunctions({
  regexp_contains: ['STRING, STRING -> BOOL | BYTES, BYTES -> BOOL', overBytes(matches)],
  regexp_extract: [extracted, overBytes(extract)],
  regexp_extract_all: [
    'STRING, STRING -> ARRAY<STRING> | BYTES, BYTES -> ARRAY<BYTES>',
    overBytes(([value = duckNull, pattern = duckNull], { args, at }) =>
      all(value, pattern, { argument: args[1], at }),
    ),
  ],
  regexp_instr: [
    'STRING, STRING, INT64?, INT64?, INT64? -> INT64 | BYTES, BYTES, INT64?, INT64?, INT64? -> INT64',
    overBytes(instr),
  ],
  regexp_replace: [
    'STRING, STRING, STRING -> STRING | BYTES, BYTES, BYTES -> BYTES',
    overBytes(replace),
  ],
  regexp_substr: [extracted, overBytes(extract)],
});

/** A pattern without special characters becomes `contains`, which DuckDB would find out late. */
function matches(...[args, node, clauses]: Parameters<Emitter>): DuckExpression {
  const pattern = literalText(node.args[1]);
  const isText = pattern !== undefined && isPlainText(pattern) && isString(node.args[0]);
  return nativeFunction(isText ? 'contains' : 'regexp_matches')(args, node, clauses);
}

function isString(value: BoundExpression | undefined): boolean {
  return value?.type.kind === 'STRING';
}

/** The argument of a pattern before lowering, and the offset of the call. */
interface Pattern {
  readonly argument: BoundExpression | undefined;
  readonly at: number;
}

/** The text of a literal. */
function literalText(argument: BoundExpression | undefined): string | undefined {
  return argument?.kind === 'literal' ? (argument.value ?? undefined) : undefined;
}

/** The group of a literal pattern to extract; 0 is the whole match. */
function groupOf(text: string, at: number): 0 | 1 {
  const groups = captureGroups(text);
  if (groups.length > 1) {
    const message =
      'Regular expressions passed into extraction functions must not have more than 1 capturing group';
    throw new QueryFault(message, at);
  }
  return groups.length === 0 ? 0 : 1;
}

function extract(...[args, node]: Parameters<Emitter>): DuckExpression {
  const [value = duckNull, pattern = duckNull, position, occurrence] = args;
  const known = { argument: node.args[1], at: node.at };
  const text = literalText(known.argument);
  if (position === undefined && text !== undefined) {
    return macro('regexp_first', value, pattern, integer(groupOf(text, node.at)));
  }
  const from = position === undefined ? value : macro('regexp_from', value, position);
  const which = occurrence === undefined ? integer(1) : macro('occurrence', occurrence);
  return call('list_extract', all(from, pattern, known), which);
}

function all(value: DuckExpression, pattern: DuckExpression, { argument, at }: Pattern) {
  const text = literalText(argument);
  if (text === undefined) return macro('regexp_all_by', value, pattern);
  const name = mayMatchEmpty(text) ? 'regexp_all_empty' : 'regexp_all';
  return macro(name, value, pattern, integer(groupOf(text, at)));
}

/** Only supports patterns without groups: DuckDB does not return the position of a group. */
function instr(...[args, node]: Parameters<Emitter>): DuckExpression {
  const [value = duckNull, pattern = duckNull, ...rest] = args;
  const text = literalText(node.args[1]);
  const hasGroup = text !== undefined && groupOf(text, node.at) === 1;
  if (hasGroup) {
    throw new QueryFault('REGEXP_INSTR is not supported with a capturing group', node.at);
  }
  const defaults = [integer(1), integer(1), integer(0)].slice(rest.length);
  const position = macro(
    text === undefined ? 'regexp_instr_by' : 'regexp_instr',
    value,
    pattern,
    ...rest,
    ...defaults,
  );
  return text === '' ? choose(infix('IS NOT', position, duckNull), integer(0)) : position;
}

function replace(...[args, node]: Parameters<Emitter>): DuckExpression {
  const pattern = literalText(node.args[1]);
  const rewrite = literalText(node.args[2]);
  if (pattern !== undefined && rewrite !== undefined) {
    checkRewrite(rewrite, captureGroups(pattern).length, node.at);
  }
  const [value = duckNull, duckPattern = duckNull, replacement = duckNull] = args;
  return macro('regexp_replace_bounded', value, duckPattern, replacement);
}

/** The offsets of the capturing groups in a pattern in RE2's syntax. */
function captureGroups(pattern: string): readonly number[] {
  const parts =
    /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]|\((?!\?(?!P?<))/g;
  return [...pattern.matchAll(parts)].flatMap((part) => (part[0] === '(' ? [part.index] : []));
}

/** Whether a pattern in RE2's syntax matches only itself. */
export function isPlainText(pattern: string): boolean {
  return !/[\\.+*?()[\]{}^$|\0]/.test(pattern);
}

/** Whether a pattern without anchors may match the empty text; true if that is not certain. */
function mayMatchEmpty(pattern: string): boolean {
  if (/[\^$]|\\[bBAz]/.test(pattern)) return false;
  try {
    return new RegExp(`^(?:${pattern})$`, 'u').test('');
  } catch {
    return true;
  }
}

/**
 * Checks the replacement of REGEXP_REPLACE: a digit or a backslash must follow each backslash.
 * @throws QueryFault with RE2's message
 */
function checkRewrite(rewrite: string, groups: number, at: number): void {
  const escapes = [...rewrite.matchAll(/\\([\s\S]?)/g)].map(([, next = '']) => next);
  const [bad] = escapes.filter((next) => !/^[\d\\]$/.test(next));
  if (bad !== undefined) {
    const why =
      bad === '' ? "'\\' not allowed at end." : "'\\' must be followed by a digit or '\\'.";
    throw new QueryFault(`Invalid REGEXP_REPLACE pattern: Rewrite schema error: ${why}`, at);
  }
  const max = Math.max(0, ...escapes.filter((next) => next !== '\\').map(Number));
  if (max > groups) {
    const message = `Invalid REGEXP_REPLACE pattern: Rewrite schema requests ${max} matches, but the regexp only has ${groups} parenthesized subexpressions.`;
    throw new QueryFault(message, at);
  }
}
