import { QueryFault } from '../../errors/query-fault.js';
import type { Cursor } from './cursor.js';
import type { Token } from './lex.js';
import type { LiteralType } from './names.js';
import { parseCall } from './parse-call.js';
import { parseType } from './parse-type.js';
import type { Expression } from './tree.js';
import { typeNames } from './words.js';

/** An operand: a literal, a name, a call, a subquery, or an expression in brackets. */
export function parsePrimary(cursor: Cursor): Expression {
  const token = cursor.next;
  const literal = literalTypes[token.kind];
  if (literal !== undefined) return parseLiteral(cursor, literal);
  if (token.kind === 'parameter') {
    cursor.take();
    return { kind: 'parameter', name: token.value, at: token.at };
  }
  if (token.kind === 'symbol') return parseSymbol(cursor);
  const keyword = token.kind === 'word' ? keywords[token.key ?? ''] : undefined;
  return keyword?.(cursor, token.at) ?? parseName(cursor);
}

const literalTypes: Partial<Record<Token['kind'], LiteralType>> = {
  string: 'STRING',
  bytes: 'BYTES',
  integer: 'INT64',
  float: 'FLOAT64',
};

function parseLiteral(cursor: Cursor, type: LiteralType): Expression {
  const { at, kind } = cursor.next;
  const isText = kind === 'string' || kind === 'bytes';
  return { kind: 'literal', type, value: isText ? parseText(cursor) : cursor.take().value, at };
}

/**
 * Parses a string or bytes literal in one or more parts: `'a' 'b'`.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/lexical#string_and_bytes_literals
 */
function parseText(cursor: Cursor): string {
  const first = cursor.take();
  let [value, last] = [first.value, first];
  while (cursor.next.kind === 'string' || cursor.next.kind === 'bytes') {
    if (cursor.next.kind !== first.kind) {
      const message = 'Syntax error: string and bytes literals cannot be concatenated';
      throw new QueryFault(message, cursor.next.at);
    }
    if (cursor.next.at === last.end) throw unseparated(cursor.next);
    last = cursor.take();
    value += last.value;
  }
  return value;
}

function unseparated({ at, text }: Token): QueryFault {
  const quote = text.replace(/^[rRbB]*/, '').charAt(0);
  const message = `Syntax error: concatenated string literals need to be separated by whitespace or comments; inside a string, write a quote as \\${quote}`;
  return new QueryFault(message, at);
}

/** Parsers for words that may begin something other than a name; they return undefined if the word is a name here. */
const keywords: Readonly<Record<string, (cursor: Cursor, at: number) => Expression | undefined>> = {
  NULL: keywordLiteral('NULL', 'NULL'),
  TRUE: keywordLiteral('BOOL', 'true'),
  FALSE: keywordLiteral('BOOL', 'false'),
  CASE: parseCase,
  INTERVAL: parseInterval,
  EXISTS: (cursor, at) => parseSubquery(cursor, 'EXISTS', at),
  ARRAY: parseArray,
  STRUCT: parseStruct,
  WITH: parseWith,
  DATE: parseTyped,
  DATETIME: parseTyped,
  TIME: parseTyped,
  TIMESTAMP: parseTyped,
  NUMERIC: parseTyped,
  DECIMAL: parseTyped,
  BIGNUMERIC: parseTyped,
  BIGDECIMAL: parseTyped,
  JSON: parseTyped,
  RANGE: parseRange,
};

function keywordLiteral(type: LiteralType, value: string) {
  return (cursor: Cursor, at: number): Expression => {
    cursor.take();
    return { kind: 'literal', type, value, at };
  };
}

/** `timestamp '2026-03-01'`; without a string after it, the word is a column or a function. */
function parseTyped(cursor: Cursor, at: number): Expression | undefined {
  if (cursor.peek(1).kind !== 'string') return undefined;
  const type = typeNames[cursor.take().text.toUpperCase()] ?? 'STRING';
  return { kind: 'typed-literal', type, value: parseText(cursor), at };
}

/** `range<date> '[2026-03-01, 2026-04-01)'`; without a type, the word is a function. */
function parseRange(cursor: Cursor, at: number): Expression | undefined {
  if (!cursor.at('RANGE', '<')) return undefined;
  const { name } = parseType(cursor);
  if (cursor.next.kind !== 'string') throw cursor.unexpected('Expected string literal but got');
  return { kind: 'typed-literal', type: name, value: parseText(cursor), at };
}

function parseSymbol(cursor: Cursor): Expression {
  const { at } = cursor.next;
  if (cursor.accept('[')) return parseElements(cursor, at);
  if (cursor.at('*')) throw cursor.unexpected();
  if (cursor.at('?')) throw new QueryFault('Positional parameters are not supported', at);
  if (cursor.at('@') && cursor.peek(1).kind === 'parameter')
    throw new QueryFault('System variables are not supported', at);
  cursor.expect('(');
  return cursor.nested(() => parseBracket(cursor, at));
}

/** `(value)`, the struct `(a, b)`, or a scalar subquery. */
function parseBracket(cursor: Cursor, at: number): Expression {
  if (cursor.atSubquery()) {
    const query = cursor.closed(() => cursor.query());
    return { kind: 'subquery', form: 'SCALAR', query, at };
  }
  const values = cursor.closed(() => cursor.list(() => cursor.expression()));
  const [first] = values;
  if (values.length === 1 && first !== undefined) return first;
  return { kind: 'struct', isTuple: true, fields: values.map((value) => ({ value })), at };
}

/** Reserved words that also name a function. */
const reservedFunctions: ReadonlySet<string | undefined> = new Set([
  ...['IF', 'GROUPING', 'LEFT', 'RIGHT', 'CAST', 'SAFE_CAST', 'EXTRACT', 'COLLATE', 'RANGE'],
]);

function parseName(cursor: Cursor): Expression {
  const { at, key } = cursor.next;
  const isFunction = reservedFunctions.has(key) && cursor.peek(1).key === '(';
  const parts = [cursor.identifier(isFunction)];
  while (cursor.at('.') && !cursor.at('.', '*')) {
    cursor.take();
    parts.push(cursor.identifier(true));
  }
  return cursor.at('(') ? parseCall(cursor, parts) : { kind: 'path', parts, at };
}

function parseCase(cursor: Cursor, at: number): Expression {
  cursor.expect('CASE');
  return cursor.nested(() => {
    const operand = !cursor.at('WHEN') && { operand: cursor.expression() };
    const whens = [];
    while (cursor.accept('WHEN')) {
      const when = cursor.expression();
      cursor.expect('THEN');
      whens.push({ when, result: cursor.expression() });
    }
    if (whens.length === 0) throw cursor.unexpected('Expected keyword WHEN but got');
    const otherwise = cursor.accept('ELSE') && { otherwise: cursor.expression() };
    cursor.expect('END');
    return { kind: 'case', ...operand, whens, ...otherwise, at };
  });
}

/** `interval 5 minute`, `interval '1-2' year to month`. */
function parseInterval(cursor: Cursor, at: number): Expression {
  cursor.expect('INTERVAL');
  if (cursor.next.kind === 'string' && /^\s*[+-]?\d+\s*[a-z]+\s*$/i.test(cursor.next.value)) {
    cursor.take();
    throw cursor.unexpected();
  }
  const value = cursor.nested(() => cursor.expression());
  const part = cursor.identifier().name.toUpperCase();
  const to = cursor.accept('TO') && { to: cursor.identifier().name.toUpperCase() };
  return { kind: 'interval', value, part, ...to, at };
}

function parseSubquery(cursor: Cursor, form: 'EXISTS' | 'ARRAY', at: number): Expression {
  cursor.take();
  return { kind: 'subquery', form, query: cursor.subquery(), at };
}

/** `array<int64>[1]`, `array[1]` or `array(select …)`. */
function parseArray(cursor: Cursor, at: number): Expression {
  if (cursor.at('ARRAY', '(')) return parseSubquery(cursor, 'ARRAY', at);
  const type = cursor.at('ARRAY', '<') ? parseType(cursor) : undefined;
  if (type === undefined) cursor.expect('ARRAY');
  cursor.expect('[');
  return parseElements(cursor, at, type?.element);
}

function parseElements(
  cursor: Cursor,
  at: number,
  type?: ReturnType<typeof parseType>,
): Expression {
  return cursor.nested(() => {
    const elements = cursor.at(']') ? [] : cursor.list(() => cursor.expression());
    cursor.expect(']');
    return { kind: 'array', ...(type && { type }), elements, at };
  });
}

/** `struct(1 as a, b)` or `struct<a int64>(1)`. */
function parseStruct(cursor: Cursor, at: number): Expression {
  const hasType = cursor.at('STRUCT', '<') || cursor.at('STRUCT', '<>');
  const type = hasType ? parseType(cursor) : undefined;
  if (type === undefined) cursor.expect('STRUCT');
  cursor.expect('(');
  return cursor.nested(() => {
    const fields = cursor.at(')') ? [] : cursor.list(() => parseStructField(cursor));
    cursor.expect(')');
    return { kind: 'struct', ...(type && { type }), fields, at };
  });
}

/** `with(a as 1, b as a + 1, a + b)`: variables, and a value that reads them. */
function parseWith(cursor: Cursor, at: number): Expression {
  cursor.expect('WITH');
  cursor.expect('(');
  return cursor.nested(() => {
    const variables = [];
    while (cursor.atIdentifier() && cursor.peek(1).key === 'AS') {
      const name = cursor.identifier();
      cursor.expect('AS');
      variables.push({ name, value: cursor.expression() });
      cursor.expect(',');
    }
    if (variables.length === 0) throw cursor.unexpected('Expected a variable but got');
    const value = cursor.expression();
    cursor.expect(')');
    return { kind: 'with', variables, value, at };
  });
}

function parseStructField(cursor: Cursor) {
  const value = cursor.expression();
  return cursor.accept('AS') ? { value, alias: cursor.identifier() } : { value };
}
