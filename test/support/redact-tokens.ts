/** A piece of a text, and what the redaction takes it for: one UTF-16 unit. */
export interface Token {
  readonly raw: string;
  readonly plain: string;
}

/** Stand-ins for escapes that are no character of an address: which one it is does not matter. */
const quote = '\uE000';
const inner = '\uE001';
const otherSign = '\uE002';
const digits = '\uE003';

const codes: Readonly<Record<string, string>> = {
  '22': quote,
  '27': inner,
  '2b': inner,
  '2e': '.',
  '3a': ':',
  '40': '@',
};
const names: Readonly<Record<string, string>> = {
  commat: '@',
  period: '.',
  colon: ':',
  quot: quote,
  apos: inner,
  plus: inner,
};

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

// The signs that an escape is written with, each perhaps itself an escape of JSON, a URL or HTML.
const percent = String.raw`(?:%|\\+[ux](?:00)?25)(?:25)*`;
const backslash = String.raw`(?:\\+|${percent}5c)`;
const semicolon = `(?:;|${percent}3b)`;
const ampersand = String.raw`(?:&|\\+[ux](?:00)?26|${percent}26)(?:(?:amp|#38|#x26)${semicolon})*`;
const ofJson = new RegExp(
  `^(?:${backslash}(?:u00|x)|${percent}u00)(${Object.keys(codes).join('|')})`,
  'i',
);
const ofOthers = new RegExp(
  String.raw`^(?:\\+["bfnrt]|(?:\\+|${percent})u[0-9a-fA-F]{4}|\\+x[0-9a-fA-F]{2})`,
);
const ofUrl = new RegExp(`^${percent}([0-9a-f]{2})`, 'i');
const ofHtml = new RegExp(
  `^${ampersand}(?:(?:#|${percent}23)(?:0*(34|39|43|46|58|64)|x0*(22|27|2b|2e|3a|40))${semicolon}?|(${Object.keys(names).join('|')})${semicolon})`,
  'i',
);

function json(text: string): Token | undefined {
  const [raw = '', hex = ''] = ofJson.exec(text) ?? [];
  const known = codes[hex.toLowerCase()];
  if (known !== undefined) return { raw, plain: known };
  const url = ofUrl.exec(text)?.[1]?.toLowerCase() ?? '';
  if (html(text) !== undefined || (url !== '2b' && codes[url] !== undefined)) return undefined;
  const [other] = ofOthers.exec(text) ?? [];
  if (other === undefined || /(?:u00|x)25$/i.test(other)) return undefined;
  return { raw: other, plain: other.endsWith('"') ? quote : otherSign };
}

function url(text: string): Token | undefined {
  if (html(text) !== undefined) return undefined;
  const [raw, hex = ''] = ofUrl.exec(text) ?? [];
  if (raw === undefined) return undefined;
  const letter = String.fromCharCode(Number.parseInt(hex, 16));
  // These may stand in an address as they are: "%2B" too, since "%" may.
  if (/[\w%+-]|[^\t\n\r -~]/.test(letter)) return undefined;
  const isPlain = /^%\d+$/.test(raw);
  return { raw, plain: codes[hex.toLowerCase()] ?? (isPlain ? digits : otherSign) };
}

function html(text: string): Token | undefined {
  const [raw, number, hex, name = ''] = ofHtml.exec(text) ?? [];
  if (raw === undefined) return undefined;
  const code = number === undefined ? (hex ?? '') : Number(number).toString(16);
  const plain = names[name] ?? codes[code.toLowerCase()];
  return plain === undefined ? undefined : { raw, plain };
}

/** The marks of the engine's expressions cannot stand in a text. */
function letter(raw: string): Token {
  const kept = /[\uFDD0-\uFDD2]/.test(raw) ? '\uFFFD' : raw;
  return { raw: kept, plain: kept === '＠' ? '@' : kept };
}
