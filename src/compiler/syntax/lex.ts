import { QueryFault } from '../../errors/query-fault.js';

/** The kinds of tokens; `quoted` is an identifier in backticks, `end` the end of the query. */
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

/** A token: `text` is as written; `value` is its meaning, for example a string without quotes and escapes. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly value: string;
  /** The text in upper case, for comparisons by the parser; set only for words and symbols. */
  readonly key?: string;
  /** Offset of the first character, in UTF-16 units. */
  readonly at: number;
  readonly end: number;
}

/**
 * Splits a query into tokens, without comments and white space; the last token is `end`.
 * @throws QueryFault for an illegal character, an invalid literal or an unclosed comment
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/lexical
 */
export function lex(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = skipBlank(text, 0);
  while (at < text.length) {
    const token = lexToken(text, at);
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
const integer = /^(?:\d+|0[xX].*)$/;
const letter = /[A-Za-z_]/;
const newline = /[\r\n]/;
const stringStarts: ReadonlySet<string | undefined> = new Set(`rRbB'"`);
const stringStart = /(?:[rR][bB]?|[bB][rR]?)?(?:'''|"""|'|")/y;
/** The characters that only symbols begin with. */
const symbolStarts: ReadonlySet<string | undefined> = new Set('+-*/~^&|=<>()[],;:?!{}%$');
const symbol = /<=>|\|>|=>|->|<<|>>|<=|>=|<>|!=|\|\||::|[-+*/~^&|=<>()[\],.;:?!{}%$@\\]/y;

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? text.slice(at, pattern.lastIndex) : undefined;
}

function skipBlank(text: string, at: number): number {
  blank.lastIndex = at;
  blank.test(text);
  const end = blank.lastIndex;
  if (text.startsWith('/*', end)) throw new QueryFault('Syntax error: Unclosed comment', end);
  return end;
}

function lexToken(text: string, at: number): Token {
  const first = text[at];
  const opening = stringStarts.has(first) ? match(stringStart, text, at) : undefined;
  if (opening !== undefined) return lexString(text, at, opening);
  if (first === '`') return lexQuoted(text, at);
  if (symbolStarts.has(first)) return lexPattern('symbol', symbol, text, at) ?? illegal(text, at);
  return (
    lexPattern('word', word, text, at) ??
    lexNumber(text, at) ??
    lexPattern('parameter', parameter, text, at) ??
    lexPattern('symbol', symbol, text, at) ??
    illegal(text, at)
  );
}

function lexPattern(kind: TokenKind, pattern: RegExp, text: string, at: number): Token | undefined {
  const found = match(pattern, text, at);
  if (found === undefined) return undefined;
  const end = at + found.length;
  if (kind === 'parameter') return { kind, text: found, value: found.slice(1), at, end };
  // Not a spread of common properties: most of the time of a parse would be spent in it.
  const key = kind === 'word' ? found.toUpperCase() : found;
  return { kind, text: found, value: found, key, at, end };
}

function lexNumber(text: string, at: number): Token | undefined {
  const found = match(number, text, at);
  if (found === undefined) return undefined;
  const end = at + found.length;
  if (letter.test(text[end] ?? '')) {
    throw new QueryFault('Syntax error: Missing whitespace between literal and alias', end);
  }
  const isInteger = integer.test(found);
  return { kind: isInteger ? 'integer' : 'float', text: found, value: found, at, end };
}

/** `` `a.b` ``: one identifier, with the same escapes as strings, but no control characters. */
function lexQuoted(text: string, at: number): Token {
  const token = lexString(text, at, '`');
  if (token.value === '') throw new QueryFault('Syntax error: Invalid empty identifier', at);
  if (/\p{Cc}/u.test(token.value)) {
    throw new QueryFault('Syntax error: Control characters in an identifier are not supported', at);
  }
  return { ...token, kind: 'quoted' };
}

/**
 * A string, bytes or backtick literal; `opening` is its prefix and opening quotes.
 * The value of bytes has one character, U+0000 to U+00FF, per byte.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/lexical#string_and_bytes_literals
 */
function lexString(text: string, at: number, opening: string): Token {
  const quote = opening.replace(/^[rRbB]*/, '');
  const prefix = opening.slice(0, opening.length - quote.length).toLowerCase();
  const close = findClose(text, at, at + opening.length, quote);
  const body = text.slice(at + opening.length, close).replace(/\r\n?/g, '\n');
  const bytes = prefix.includes('b');
  const value = prefix.includes('r') ? rawValue(body, bytes) : replaceEscapes(body, at, bytes);
  const end = close + quote.length;
  return { kind: bytes ? 'bytes' : 'string', text: text.slice(at, end), value, at, end };
}

function findClose(text: string, at: number, from: number, quote: string): number {
  let index = from;
  while (index < text.length) {
    if (text.startsWith(quote, index)) return index;
    if (quote.length === 1 && newline.test(text[index] ?? '')) break;
    index += text[index] === '\\' ? 2 : 1;
  }
  const what = quote === '`' ? 'Unclosed identifier literal' : 'Unclosed string literal';
  throw new QueryFault(`Syntax error: ${what}`, at);
}

const simpleEscapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '?': '?',
  '"': '"',
  "'": "'",
  '`': '`',
};

const escapeSequence =
  /\\(?:([0-3][0-7]{2})|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S]?))|([^\\]+)/g;

function replaceEscapes(body: string, at: number, bytes: boolean): string {
  if (!bytes && !body.includes('\\')) return body;
  return body.replace(escapeSequence, (whole, octal, hex, short, long, simple, plain) => {
    if (plain !== undefined) return rawValue(plain, bytes);
    const code = octal === undefined ? hex : Number.parseInt(octal, 8).toString(16);
    if (code !== undefined) return fromCode(code, whole, at);
    const unicode = short ?? long;
    if (unicode !== undefined && !bytes) return fromCode(unicode, whole, at);
    return simpleEscapes[simple ?? ''] ?? illegalEscape(whole, at);
  });
}

function fromCode(hex: string, whole: string, at: number): string {
  const code = Number.parseInt(hex, 16);
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return code > 0x10ffff || isSurrogate ? illegalEscape(whole, at) : String.fromCodePoint(code);
}

function illegalEscape(whole: string, at: number): never {
  throw new QueryFault(`Syntax error: Illegal escape sequence: ${whole}`, at);
}

function rawValue(body: string, bytes: boolean): string {
  return bytes ? utf8(body) : body;
}

// Not Node's Buffer, because the explorer's page splits queries into tokens, too.
function utf8(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join('');
}

function illegal(text: string, at: number): never {
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  throw new QueryFault(`Syntax error: Illegal input character "${character}"`, at);
}
