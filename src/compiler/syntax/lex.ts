import { QueryFault } from '../../errors/query-fault.js';
import { readString } from './lex-string.js';

export type TokenKind =
  | 'word'
  | 'quoted'
  | 'string'
  | 'bytes'
  | 'integer'
  | 'float'
  | 'parameter'
  | 'symbol'
  | 'end';

/** A piece of the text: `text` as it stands there, `value` what it means. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly value: string;
  /** What the grammar knows a word or a symbol by: a word in upper case. */
  readonly key?: string;
  /** Offset of the first character, in UTF-16 units. */
  readonly at: number;
  readonly end: number;
}

/**
 * Cuts a text into tokens, comments and white space left out, an `end` token last.
 * @throws QueryFault for a character, a literal or a comment that GoogleSQL does not have
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/lexical
 */
export function lex(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = skipBlank(text, 0);
  while (at < text.length) {
    const token = readToken(text, at);
    tokens.push(token);
    at = skipBlank(text, token.end);
  }
  tokens.push({ kind: 'end', text: '', value: '', at: text.length, end: text.length });
  return tokens;
}

const blank = /(?:[\s\uFEFF]|--[^\r\n]*|#[^\r\n]*|\/\*[\s\S]*?\*\/)*/y;
const word = /[A-Za-z_][A-Za-z0-9_]*/y;
const parameter = /@[A-Za-z_][A-Za-z0-9_]*/y;
const number = /0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y;
const stringStart = /(?:[rR][bB]?|[bB][rR]?)?(?:'''|"""|'|")/y;
const symbol = /<=>|\|>|=>|->|<<|>>|<=|>=|<>|!=|\|\||::|[-+*/~^&|=<>()[\],.;:?!{}%$@\\]/y;

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}

function skipBlank(text: string, at: number): number {
  const end = at + (match(blank, text, at)?.length ?? 0);
  if (text.startsWith('/*', end)) throw new QueryFault('Syntax error: Unclosed comment', end);
  return end;
}

function readToken(text: string, at: number): Token {
  const opening = match(stringStart, text, at);
  if (opening !== undefined) return readString(text, at, opening);
  if (text[at] === '`') return readQuoted(text, at);
  return (
    readPattern('word', word, text, at) ??
    readNumber(text, at) ??
    readPattern('parameter', parameter, text, at) ??
    readPattern('symbol', symbol, text, at) ??
    illegal(text, at)
  );
}

function readPattern(
  kind: TokenKind,
  pattern: RegExp,
  text: string,
  at: number,
): Token | undefined {
  const found = match(pattern, text, at);
  if (found === undefined) return undefined;
  const value = kind === 'parameter' ? found.slice(1) : found;
  const end = at + found.length;
  if (kind === 'parameter') return { kind, text: found, value, at, end };
  return { kind, text: found, value, key: found.toUpperCase(), at, end };
}

function readNumber(text: string, at: number): Token | undefined {
  const found = match(number, text, at);
  if (found === undefined) return undefined;
  const end = at + found.length;
  if (/[A-Za-z_]/.test(text[end] ?? '')) {
    throw new QueryFault('Syntax error: Missing whitespace between literal and alias', end);
  }
  const isInteger = /^(?:\d+|0[xX].*)$/.test(found);
  return { kind: isInteger ? 'integer' : 'float', text: found, value: found, at, end };
}

/** `` `a.b` ``: one name, which may hold anything but a line's end; escapes are those of strings. */
function readQuoted(text: string, at: number): Token {
  const token = readString(text, at, '`');
  if (token.value === '') throw new QueryFault('Syntax error: Invalid empty identifier', at);
  if (/\p{Cc}/u.test(token.value)) {
    throw new QueryFault('Syntax error: Control characters in an identifier are not supported', at);
  }
  return { ...token, kind: 'quoted' };
}

function illegal(text: string, at: number): never {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  throw new QueryFault(`Syntax error: Illegal input character "${character}"`, at);
}
