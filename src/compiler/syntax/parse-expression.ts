import { QueryFault } from '../../errors/query-fault.js';
import type { Cursor } from './cursor.js';
import { parsePrimary } from './parse-primary.js';
import { parseType } from './parse-type.js';
import { binaryPrecedence, precedences } from './precedences.js';
import type { Expression } from './tree.js';

/**
 * Parses an expression by precedence, lowest first: OR, AND, NOT, comparisons, |, ^, &, shifts,
 * + -, * / ||, unary operators, postfix operators.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/operators#operator_precedence
 */
export function parseExpression(cursor: Cursor): Expression {
  return parseLogical(cursor, 'OR', () => parseLogical(cursor, 'AND', parseNot));
}

function parseLogical(
  cursor: Cursor,
  operator: 'AND' | 'OR',
  parsePart: (cursor: Cursor) => Expression,
): Expression {
  const first = parsePart(cursor);
  if (!cursor.at(operator)) return first;
  const operands = [first];
  while (cursor.accept(operator)) operands.push(parsePart(cursor));
  return { kind: 'logical', operator, operands, at: first.at };
}

function parseNot(cursor: Cursor): Expression {
  const { at } = cursor.next;
  if (!cursor.accept('NOT')) return parseComparison(cursor);
  const operand = cursor.nested(() => parseNot(cursor));
  return { kind: 'unary', operator: 'NOT', operand, at };
}

const comparisons = ['=', '<=', '>=', '<>', '!=', '<', '>'] as const;

/** Parses an operand of a comparison; stops before IN. */
export function parseComparand(cursor: Cursor): Expression {
  return parseBinary(cursor, precedences.test + 1);
}

/** @throws QueryFault for `a = b is null`: comparisons do not chain */
function parseComparison(cursor: Cursor): Expression {
  const first = parseComparand(cursor);
  const test = parseTest(cursor, first);
  if (test === undefined || !testWords.has(cursor.next.key)) return test ?? first;
  const { message } = cursor.unexpected();
  throw new QueryFault(`${message}: put the comparison before it into brackets`, cursor.next.at);
}

const testWords: ReadonlySet<string | undefined> = new Set([
  ...[...comparisons, 'IS', 'BETWEEN', 'IN', 'LIKE', 'ILIKE'],
]);

function parseTest(cursor: Cursor, left: Expression): Expression | undefined {
  const { at } = left;
  const { key } = cursor.next;
  if (key !== 'NOT' && !testWords.has(key)) return undefined;
  const operator = cursor.acceptOne(...comparisons);
  if (operator !== undefined) {
    const right = parseComparand(cursor);
    return { kind: 'binary', operator: operator === '!=' ? '<>' : operator, left, right, at };
  }
  if (cursor.accept('IS')) return parseIs(cursor, left);
  const not = cursor.at('NOT') && isTestWord(cursor.peek(1).text) && cursor.accept('NOT');
  if (cursor.accept('BETWEEN')) return parseBetween(cursor, left, not);
  if (cursor.accept('IN')) return parseIn(cursor, left, not);
  const like = cursor.acceptOne('LIKE', 'ILIKE');
  return like === undefined ? undefined : parseLike(cursor, left, { like, not });
}

function isTestWord(word: string): boolean {
  return ['BETWEEN', 'IN', 'LIKE', 'ILIKE'].includes(word.toUpperCase());
}

function parseIs(cursor: Cursor, operand: Expression): Expression {
  const { at } = operand;
  const not = cursor.accept('NOT');
  if (cursor.accept('DISTINCT', 'FROM')) {
    const operator = not ? 'IS NOT DISTINCT FROM' : 'IS DISTINCT FROM';
    return { kind: 'binary', operator, left: operand, right: parseComparand(cursor), at };
  }
  const test = cursor.acceptOne('NULL', 'TRUE', 'FALSE', 'UNKNOWN');
  if (test === undefined) throw cursor.unexpected();
  return { kind: 'is', operand, not, test, at };
}

function parseBetween(cursor: Cursor, operand: Expression, not: boolean): Expression {
  const low = parseComparand(cursor);
  cursor.expect('AND');
  return { kind: 'between', operand, not, low, high: parseComparand(cursor), at: operand.at };
}

function parseLike(
  cursor: Cursor,
  left: Expression,
  { like, not }: { readonly like: string; readonly not: boolean },
): Expression {
  const { at } = left;
  const some = cursor.acceptOne('ANY', 'SOME', 'ALL');
  // `x NOT LIKE ANY (…)` is `NOT (x LIKE ALL (…))`.
  const quantifier = (some === 'ALL') === not ? 'ANY' : 'ALL';
  const operator = some === undefined ? like : `${like} ${quantifier}`;
  const right = some === undefined ? parseComparand(cursor) : parsePatterns(cursor, operator);
  const test: Expression = { kind: 'binary', operator, left, right, at };
  return not ? { kind: 'unary', operator: 'NOT', operand: test, at } : test;
}

/** Parses the patterns of LIKE ANY or LIKE ALL as an array: a list, or the array inside UNNEST. */
function parsePatterns(cursor: Cursor, operator: string): Expression {
  const { at } = cursor.next;
  if (cursor.accept('UNNEST', '(')) {
    return cursor.closed(() => cursor.nested(() => cursor.expression()));
  }
  if (!cursor.at('(') || cursor.atQuery(1)) {
    throw cursor.unexpected(`${operator} takes a list of patterns: unexpected`);
  }
  return { kind: 'array', elements: cursor.bracketed(() => parseValues(cursor)), at };
}

function parseValues(cursor: Cursor): readonly Expression[] {
  return cursor.nested(() => cursor.list(() => cursor.expression()));
}

function parseIn(cursor: Cursor, operand: Expression, not: boolean): Expression {
  const node = { kind: 'in', operand, not, at: operand.at } as const;
  if (cursor.accept('UNNEST', '(')) {
    return { ...node, values: { array: cursor.closed(() => cursor.expression()) } };
  }
  const values = cursor.bracketed(() =>
    cursor.atSubquery() ? cursor.query() : parseValues(cursor),
  );
  return { ...node, values };
}

/** Parses operands joined by operators of this precedence or a higher one. */
function parseBinary(cursor: Cursor, lowest: number): Expression {
  let left = parseUnary(cursor);
  for (;;) {
    const precedence = binaryPrecedence(cursor.next.key ?? '');
    if (precedence < lowest) return left;
    const operator = cursor.take().text;
    const right = parseBinary(cursor, precedence + 1);
    left = { kind: 'binary', operator, left, right, at: left.at };
  }
}

function parseUnary(cursor: Cursor): Expression {
  const { at } = cursor.next;
  const operator = cursor.acceptOne('-', '+', '~');
  if (operator === undefined) return parsePostfix(cursor, parsePrimary(cursor));
  const operand = cursor.nested(() => parseUnary(cursor));
  return { kind: 'unary', operator, operand, at };
}

/** Parses any number of `.field`, `[index]` and `::type`; each counts as a level of nesting. */
function parsePostfix(cursor: Cursor, value: Expression): Expression {
  const next = parseOnePostfix(cursor, value);
  return next === undefined ? value : cursor.nested(() => parsePostfix(cursor, next));
}

function parseOnePostfix(cursor: Cursor, value: Expression): Expression | undefined {
  const { at } = value;
  if (cursor.next.kind !== 'symbol') return undefined;
  if (cursor.at('.') && !cursor.at('.', '*')) {
    cursor.take();
    const name = cursor.identifier(true);
    if (cursor.at('(')) throw new QueryFault('Chained function calls are not supported', name.at);
    return { kind: 'field', of: value, name, at };
  }
  if (cursor.accept('[')) {
    const index = cursor.closed(() => cursor.nested(() => cursor.expression()), ']');
    return { kind: 'index', of: value, index, at };
  }
  if (cursor.accept('::')) {
    return { kind: 'cast', operand: value, type: parseType(cursor), safe: false, at };
  }
  return undefined;
}
