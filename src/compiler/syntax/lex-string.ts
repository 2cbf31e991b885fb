import { QueryFault } from '../../errors/query-fault.js';
import type { Token } from './lex.js';

/**
 * Reads a string, bytes or backtick literal: `opening` is its prefix and quotes, as they stand.
 * The value of bytes has one character, U+0000 to U+00FF, for each byte.
 * @throws QueryFault for an unclosed literal or an escape that GoogleSQL does not have
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/lexical#string_and_bytes_literals
 */
export function readString(text: string, at: number, opening: string): Token {
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
    if (quote.length === 1 && /[\r\n]/.test(text[index] ?? '')) break;
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
  return body.replace(escapeSequence, (whole, octal, hex, short, long, simple, plain) => {
    if (plain !== undefined) return bytes ? utf8(plain) : plain;
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

function utf8(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
