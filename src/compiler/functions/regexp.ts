import { QueryFault } from '../../errors/query-fault.js';
import type * as bound from '../bound/bound.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { overBytes } from './bytes.js';
import { defineFunctions, type Emitter, nativeFunction } from './definition.js';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#regexp_contains */
export const regexpFunctions = defineFunctions({
  regexp_contains: ['TEXT, TEXT -> BOOL', overPattern(nativeFunction('regexp_matches'))],
  regexp_extract: ['TEXT, TEXT, INT64?, INT64? -> TEXT', overPattern(extract)],
  regexp_extract_all: ['TEXT, TEXT -> ARRAY<TEXT>', overPattern(all)],
  regexp_instr: ['TEXT, TEXT, INT64?, INT64?, INT64? -> INT64', overPattern(instr)],
  regexp_replace: ['TEXT, TEXT, TEXT -> TEXT', overPattern(replace)],
  regexp_substr: ['TEXT, TEXT, INT64?, INT64? -> TEXT', overPattern(extract)],
});

/** Extends an emitter to BYTES, and to SAFE, which treats an invalid pattern as NULL. */
function overPattern(emit: Emitter): Emitter {
  return overBytes((args, node, clauses) => {
    if (!node.safe || isSurelyValid(literalText(node.args[1]))) return emit(args, node, clauses);
    const [value = d.nullValue, pattern = d.nullValue, ...rest] = args;
    return emit([value, d.macro('valid_pattern', pattern), ...rest], node, clauses);
  });
}

/** Whether a pattern is valid and uses only syntax that RE2 and JavaScript share. */
function isSurelyValid(pattern = '('): boolean {
  if (/\\[^dDwWsSbB\W]|\(\?[^:]|\[(?:\^?\]|:)|\[.*\\[bB]|\{[\d,]*\d{4}|\{.*\{/su.test(pattern))
    return false;
  try {
    return new RegExp(pattern, 'u') !== undefined;
  } catch {
    return false;
  }
}

/** The value of a literal; undefined for NULL and for other expressions. */
function literalText(argument: bound.Expression | undefined): string | undefined {
  return argument?.kind === 'literal' ? (argument.value ?? undefined) : undefined;
}

/** The group of a literal pattern to extract; 0 is the whole match. */
function extractedGroup(pattern: string, at: number): 0 | 1 {
  const groups = captureGroups(pattern);
  if (groups.length > 1) {
    const message =
      'Regular expressions passed into extraction functions must not have more than 1 capturing group';
    throw new QueryFault(message, at);
  }
  return groups.length === 0 ? 0 : 1;
}

function extract(...[args, node, clauses]: Parameters<Emitter>): DuckExpression {
  const [value = d.nullValue, pattern = d.nullValue, position, occurrence] = args;
  const literal = literalText(node.args[1]);
  if (position === undefined && literal !== undefined) {
    return d.macro('regexp_first', value, pattern, d.integer(extractedGroup(literal, node.at)));
  }
  const from = position === undefined ? value : d.macro('regexp_from', value, position);
  return d.macro('regexp_nth', all([from, pattern], node, clauses), occurrence ?? d.integer(1));
}

function all(...[args, node]: Parameters<Emitter>): DuckExpression {
  const literal = literalText(node.args[1]);
  if (literal === undefined) return d.macro('regexp_all_by', ...args);
  return d.macro('regexp_all_any', ...args, d.integer(extractedGroup(literal, node.at)));
}

/** REGEXP_INSTR; finds the group if a literal pattern has one. */
function instr(...[args, node]: Parameters<Emitter>): DuckExpression {
  const [value = d.nullValue, pattern = d.nullValue, ...rest] = args;
  const known = literalText(node.args[1]);
  const numbers = [...rest, ...[d.integer(1), d.integer(1), d.integer(0)].slice(rest.length)];
  if (known !== undefined && extractedGroup(known, node.at) === 1) {
    const grouped = d.text(withPrefixGroup(known, node.at));
    return d.macro('regexp_instr_group', value, grouped, ...numbers);
  }
  const name = known === undefined ? 'regexp_instr_by' : 'regexp_instr';
  const position = d.macro(name, value, pattern, ...numbers);
  return known === '' ? d.choose(d.infix('IS NOT', position, d.nullValue), d.integer(0)) : position;
}

/** REGEXP_REPLACE; only a backslash can make a replacement invalid. */
function replace(...[args, node]: Parameters<Emitter>): DuckExpression {
  const [pattern, rewrite] = [literalText(node.args[1]), literalText(node.args[2])];
  if (rewrite?.includes('\\') !== false) {
    if (node.safe || pattern === undefined || rewrite === undefined) {
      return d.macro('regexp_replace_by', ...args);
    }
    checkRewrite(rewrite, captureGroups(pattern).length, node.at);
  }
  return d.macro('regexp_replace_bounded', ...args);
}

/** The parts of a pattern in RE2's syntax that matter for its groups; a quoted sequence is one part. */
const patternParts =
  /\\Q[\s\S]*?(?:\\E|$)|\\[\s\S]|\[\^?\]?(?:\[:\^?\w+:\]|\\[\s\S]|[^\]\\])*\]|\(\?[-a-zA-Z]+\)|\(\?(?!P?<)|[()|]/g;

/** The offsets of the capturing groups in a pattern in RE2's syntax. */
function captureGroups(pattern: string): readonly number[] {
  return [...pattern.matchAll(patternParts)].flatMap((part) =>
    part[0] === '(' ? [part.index] : [],
  );
}

/**
 * Puts everything before the only capturing group into its own group: `a+(b)c` -> `(a+)(b)c`. DuckDB
 * does not return the position of a group, but it is the position of the match plus the length of the
 * new group.
 * @throws QueryFault if the group is inside other brackets, or after flags that would end with the new group
 */
function withPrefixGroup(pattern: string, at: number): string {
  const [group = 0] = captureGroups(pattern);
  const start = startOfPrefix(pattern, group);
  if (start !== undefined) {
    return `${pattern.slice(0, start)}(${pattern.slice(start, group)})${pattern.slice(group)}`;
  }
  throw new QueryFault(
    'REGEXP_INSTR is not supported with a capturing group inside other brackets or after flags',
    at,
  );
}

/** The offset of a group's alternative, after its flags; undefined if the group is in brackets or has other flags. */
function startOfPrefix(pattern: string, group: number): number | undefined {
  let [start, depth, hasFlags] = [0, 0, false];
  for (const { 0: part, index } of pattern.slice(0, group).matchAll(patternParts)) {
    const isFlags = /^\(\?.*\)$/.test(part);
    const isStart = isFlags ? index === start : part === '|' && depth === 0;
    if (isStart) start = index + part.length;
    hasFlags ||= isFlags && !isStart;
    if (part === ')') depth -= 1;
    else if (part.startsWith('(') && !isFlags) depth += 1;
  }
  return depth === 0 && !hasFlags ? start : undefined;
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
