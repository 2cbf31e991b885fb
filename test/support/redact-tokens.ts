/** A piece of a text, and what the redaction takes it for: one UTF-16 unit. */
export interface Token {
  readonly raw: string;
  readonly plain: string;
}

/** What escapes may be that are no character of an address: which one it is does not matter. */
const quote = '\uE000';
const inner = '\uE001';
const other = '\uE002';
const digits = '\uE003';

const codes: Readonly<Record<string, string>> = {
  '22': quote,
  '27': inner,
  '2b': inner,
  '2e': '.',
  '3a': ':',
  '40': '@',
};
const names: Readonly<Record<string, string>> = { quot: quote, apos: inner };

/** The text in tokens, each escape one: of JSON, of a URL or of HTML, also where it is escaped again. */
export function readTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  for (let at = 0; at < text.length; ) {
    const rest = text.slice(at);
    const token = json(rest) ?? url(rest) ?? html(rest) ?? letter(rest[0] ?? '');
    tokens.push(token);
    at += token.raw.length;
  }
  return tokens;
}

/** The text that the tokens are of. */
export function printTokens(tokens: readonly Token[]): string {
  return tokens.map(({ raw }) => raw).join('');
}

function json(text: string): Token | undefined {
  const [raw, letter, hex = ''] = /^\\+(?:(["bfnrt])|u([0-9a-fA-F]{4}))/.exec(text) ?? [];
  if (raw === undefined) return undefined;
  if (letter === '"') return { raw, plain: quote };
  const known = hex.startsWith('00') ? codes[hex.slice(2).toLowerCase()] : undefined;
  return { raw, plain: known ?? other };
}

function url(text: string): Token | undefined {
  const [raw, hex = ''] = /^%(?:25)*([0-9a-f]{2})/i.exec(text) ?? [];
  if (raw === undefined) return undefined;
  const letter = String.fromCharCode(Number.parseInt(hex, 16));
  // These may stand in an address as they are: "%2B" too, since "%" may.
  if (/[\w%+-]|[^\t\n\r -~]/.test(letter)) return undefined;
  return { raw, plain: codes[hex.toLowerCase()] ?? (/^\d+$/.test(hex) ? digits : other) };
}

function html(text: string): Token | undefined {
  const [raw, number, hex, name = ''] =
    /^&(?:amp;)*(?:#(\d+)|#[xX]([0-9a-fA-F]+)|(quot|apos));/.exec(text) ?? [];
  if (raw === undefined) return undefined;
  const code = number === undefined ? Number.parseInt(hex ?? '', 16) : Number(number);
  const plain = names[name] ?? codes[code.toString(16)];
  return plain === undefined ? undefined : { raw, plain };
}

/** The marks of the engine's expressions cannot stand in a text. */
function letter(raw: string): Token {
  const kept = /[\uFDD0-\uFDD2]/.test(raw) ? '\uFFFD' : raw;
  return { raw: kept, plain: kept };
}
