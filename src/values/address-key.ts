/**
 * Whether a key is or contains an IPv4, IPv6 or e-mail address, plain or escaped. Such a key is
 * personal data and never becomes a field name, because names are not redacted. Finds everything that
 * `bq.redact` of `sql/bigquery` finds, and sometimes more: it is less strict about what surrounds
 * an address.
 */
export function holdsAddress(key: string): boolean {
  return /[@＠:.%&\\]/.test(key) && address.test(readEscapes(key));
}

const octet = '(?:25[0-5]|2[0-4][0-9]|[01]?[0-9]{1,2})';
const groups = '[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4})*';
const notInWord = String.raw`(?<![\p{L}\p{N}_])`;
const notBeforeWord = String.raw`(?![\p{L}\p{N}_])`;

const address = new RegExp(
  [
    String.raw`(?<![\p{L}\p{N}]|[0-9]\.)(?:${octet}\.){3}${octet}(?![\p{L}\p{N}]|\.[0-9])`,
    `${notInWord}(?:${groups}::(?:${groups})?|::${groups})${notBeforeWord}`,
    `${notInWord}(?:[0-9A-Fa-f]{1,4}:){7}[0-9A-Fa-f]{1,4}${notBeforeWord}`,
    String.raw`${notInWord}(?:[0-9A-Fa-f]{1,4}:){6}(?:${octet}\.){3}${octet}${notBeforeWord}`,
    String.raw`[\p{L}\p{N}\p{M}._%+'’"-]@(?:[\p{L}\p{N}\p{M}_-]+\.)+(?:(?![0-9])[\p{L}\p{M}\p{N}])+(?![\p{L}\p{N}\p{M}])`,
  ].join('|'),
  'u',
);

/** Characters of an address by their code, in hex. */
const addressCharacters: Readonly<Record<string, string>> = {
  '22': '"',
  '27': "'",
  '2b': '+',
  '2e': '.',
  '3a': ':',
  '40': '@',
};

const names: Readonly<Record<string, string>> = {
  apos: "'",
  colon: ':',
  commat: '@',
  period: '.',
  plus: '+',
  quot: '"',
};

/** The beginning and end of an escape, even if it is escaped again, as in `%5Cu0040` and `%26%2364%3B`. */
const percent = String.raw`(?:%|(?<!\\)\\+[ux](?:00)?25)(?:25)*`;
const backslash = String.raw`(?:(?<!\\)\\+|${percent}5[Cc])`;
const semicolon = `(?:;|${percent}3[Bb])`;
const ampersand = String.raw`(?:&|(?<!\\)\\+[ux](?:00)?26|${percent}26)(?:(?:amp|#38|#[xX]26)${semicolon})*`;
const hex = '22|27|2[bBeE]|3[aA]|40';

const html = new RegExp(
  `${ampersand}(?:(?:#|${percent}23)(?:[xX]0*(${hex})|0*(34|39|43|46|58|64))${semicolon}?|(${Object.keys(names).join('|')})${semicolon})`,
  'g',
);
const json = new RegExp(
  String.raw`(?:${backslash}(?:u00|x)|${percent}u00)(${hex})|(?<!\\)\\+(?:["bfnrt]|x(?!25)[0-9a-fA-F]{2})|(?:(?<!\\)\\+|${percent})u(?!0025)[0-9a-fA-F]{4}`,
  'g',
);
const url = new RegExp(`${percent}([2-7][0-9a-fA-F]|0[9aAdD])`, 'g');

/**
 * Decodes escapes of HTML, JSON and URLs, including nested ones: characters of an address to themselves, all others
 * to a blank. Matches a run of backslashes only from its first one, because matching from each would take quadratic
 * time.
 */
function readEscapes(key: string): string {
  return key
    .replaceAll('＠', '@')
    .replace(html, (_, code?: string, number?: string, name = '') => {
      return names[name] ?? addressCharacter(code ?? Number(number).toString(16));
    })
    .replace(json, (all: string, code = '') => {
      return all.endsWith('"') ? '"' : addressCharacter(code);
    })
    .replace(url, (all: string, code: string) => {
      const isPlain = /[\w%+\-\x7F]/.test(String.fromCharCode(Number.parseInt(code, 16)));
      return isPlain ? all : addressCharacter(code);
    });
}

function addressCharacter(code: string): string {
  return addressCharacters[code.toLowerCase()] ?? ' ';
}
