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

/** A pattern without signs is looked for as it is: the engine would find that out itself, and late. */
function matches(...[args, node, clauses]: Parameters<Emitter>): DuckExpression {
  const pattern = literalText(node.args[1]);
  const isText = pattern !== undefined && isPlainText(pattern) && isString(node.args[0]);
  return nativeFunction(isText ? 'contains' : 'regexp_matches')(args, node, clauses);
}

function isString(value: BoundExpression | undefined): boolean {
  return value?.type.kind === 'STRING';
}

/** A pattern's argument before it was lowered, and the place of the call. */
interface Pattern {
  readonly argument: BoundExpression | undefined;
  readonly at: number;
}

/** The text of a pattern that stands in the query. */
function literalText(argument: BoundExpression | undefined): string | undefined {
  return argument?.kind === 'literal' ? (argument.value ?? undefined) : undefined;
}

/** The group to take of a literal pattern: 0 is the whole match. */
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
  const name = mayMatchNothing(text) ? 'regexp_all_empty' : 'regexp_all';
  return macro(name, value, pattern, integer(groupOf(text, at)));
}

/** The place of a group is that of the match and what stands before the group in it. */
function instr(...[args, node]: Parameters<Emitter>): DuckExpression {
  const [value = duckNull, pattern = duckNull, ...rest] = args;
  const text = literalText(node.args[1]);
  const hasGroup = text !== undefined && groupOf(text, node.at) === 1;
  if (hasGroup) {
    throw new QueryFault('REGEXP_INSTR is not supported with a capturing group', node.at);
  }
  const defaults = [integer(1), integer(1), integer(0)].slice(rest.length);
  const place = macro(
    text === undefined ? 'regexp_instr_by' : 'regexp_instr',
    value,
    pattern,
    ...rest,
    ...defaults,
  );
  return text === '' ? choose(infix('IS NOT', place, duckNull), integer(0)) : place;
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

/** Where the capturing groups of a pattern in RE2's syntax open, in order. */
function captureGroups(pattern: string): readonly number[] {
  const parts =
    /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]|\((?!\?(?!P?<))/g;
  return [...pattern.matchAll(parts)].flatMap((part) => (part[0] === '(' ? [part.index] : []));
}

/** Whether a pattern in RE2's syntax matches itself and nothing else. */
export function isPlainText(pattern: string): boolean {
  return !/[\\.+*?()[\]{}^$|\0]/.test(pattern);
}

/** Whether a pattern without anchors may match the empty text; true where that is not clear. */
function mayMatchNothing(pattern: string): boolean {
  if (/[\^$]|\\[bBAz]/.test(pattern)) return false;
  try {
    return new RegExp(`^(?:${pattern})$`, 'u').test('');
  } catch {
    return true;
  }
}

/**
 * What REGEXP_REPLACE puts in: a backslash stands before a digit or a backslash.
 * @throws QueryFault in RE2's words
 */
function checkRewrite(rewrite: string, groups: number, at: number): void {
  const escapes = [...rewrite.matchAll(/\\([\s\S]?)/g)].map(([, next = '']) => next);
  const [bad] = escapes.filter((next) => !/^[\d\\]$/.test(next));
  if (bad !== undefined) {
    const why =
      bad === '' ? "'\\' not allowed at end." : "'\\' must be followed by a digit or '\\'.";
    throw new QueryFault(`Invalid REGEXP_REPLACE pattern: Rewrite schema error: ${why}`, at);
  }
  const most = Math.max(0, ...escapes.filter((next) => next !== '\\').map(Number));
  if (most > groups) {
    const message = `Invalid REGEXP_REPLACE pattern: Rewrite schema requests ${most} matches, but the regexp only has ${groups} parenthesized subexpressions.`;
    throw new QueryFault(message, at);
  }
}
