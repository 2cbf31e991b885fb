/**
 * Whether a key is or contains an IPv4, IPv6 or e-mail address, plain or escaped. Such a key is
 * personal data and never becomes a field name, because names are not redacted. Finds everything that
 * `bq.redact` of `sql/bigquery` finds, and sometimes more: it is less strict about what surrounds
 * an address.
 */
export function holdsAddress(key: string): boolean {
  return /[@:.%&\\]/.test(key) && address.test(readEscapes(key));
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

const addressCharacters: Readonly<Record<string, string>> = {
  '22': '"',
  '27': "'",
  '2b': '+',
  '2e': '.',
  '3a': ':',
  '40': '@',
};

/**
 * Decodes escapes of JSON, URLs and HTML, nested ones included: characters of an address to themselves,
 * all others to a blank. A run of backslashes is matched from its first one only, because matching from
 * each would take quadratic time.
 */
function readEscapes(key: string): string {
  return key
    .replace(/(?<!\\)\\+(?:["bfnrt]|u([0-9a-fA-F]{4}))/g, (all, hex: string | undefined) =>
      hex === undefined ? (all.endsWith('"') ? '"' : ' ') : characterOf(Number.parseInt(hex, 16)),
    )
    .replace(/%(?:25)*([2-7][0-9a-fA-F]|0[9aAdD])/g, (all, hex: string) => {
      const code = Number.parseInt(hex, 16);
      return /[\w%+\-\x7F]/.test(String.fromCharCode(code)) ? all : characterOf(code);
    })
    .replace(
      /&(?:amp;)*(?:#x([0-9a-f]+)|#(\d+)|quot|apos);/gi,
      (all, hex?: string, number?: string) => {
        if (hex === undefined && number === undefined) return all.endsWith('quot;') ? '"' : "'";
        return (
          addressCharacters[Number.parseInt(hex ?? number ?? '', hex ? 16 : 10).toString(16)] ?? all
        );
      },
    );
}

function characterOf(code: number): string {
  return addressCharacters[code.toString(16)] ?? ' ';
}
