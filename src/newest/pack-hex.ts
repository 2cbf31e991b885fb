/** A text without its UUIDs and long hexadecimal numbers, and the digits of those. */
export interface PackedText {
  readonly text: string;
  readonly digits: string;
}

/** Stands in place of digits; then follows what they were. It never occurs in JSON, whose strings escape it. */
const mark = '\u0001';
/** After a mark: a UUID. */
const uuid = 'u';
/** After a mark: a number. The character's code is this plus the number of its bytes, 8 to 64. */
const baseCode = ' '.charCodeAt(0);

/**
 * A UUID, or the first 16 to 128 digits, an even count, of a hexadecimal number in lower case. Not decimal numbers: they often
 * begin alike, and compress well as text.
 */
const hexNumber =
  /\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?![0-9]+\b)(?:[0-9a-f]{2}){8,64})/g;

/** Longer texts are left as they are: there may be very many numbers in them. */
const maxLength = 65_536;

/**
 * Takes long hexadecimal numbers out of a JSON text. Compressed as text, each of their digits takes five bits or more; in
 * bytes, four.
 * @throws Error if the text has the control character that stands in their place
 */
export function packHex(json: string): PackedText {
  if (json.includes(mark)) throw new Error('a JSON text has a control character');
  if (json.length > maxLength) return { text: json, digits: '' };
  const kept: string[] = [];
  const taken: string[] = [];
  let from = 0;
  // Faster than `replace`.
  for (const { 0: match, index } of json.matchAll(hexNumber)) {
    const digits = match.replaceAll('-', '');
    const kind = digits === match ? String.fromCharCode(baseCode + digits.length / 2) : uuid;
    kept.push(json.slice(from, index), mark, kind);
    taken.push(digits);
    from = index + match.length;
  }
  return { text: kept.join('') + json.slice(from), digits: taken.join('') };
}

const markByte = mark.charCodeAt(0);
const uuidByte = uuid.charCodeAt(0);
const dashByte = '-'.charCodeAt(0);
const digitCodes = Buffer.from('0123456789abcdef');

/** The groups of digits of a UUID, in bytes. */
const uuidGroups = [4, 2, 2, 2, 6];

/**
 * Puts the digits, two to a byte, back into a text in UTF-8. Works on bytes, because strings take twice as long.
 * @throws Error if the digits are not those of the text
 */
export function unpackHex(text: Buffer, digits: Uint8Array): Buffer {
  if (digits.length === 0 && !text.includes(markByte)) return text;
  // At most: a UUID takes 36 bytes, and its digits 16.
  const json = Buffer.allocUnsafe(text.length + 3 * digits.length);
  let length = 0;
  let taken = 0;
  const put = (bytes: number) => {
    for (const end = taken + bytes; taken < end; taken += 1) {
      const pair = digits[taken] ?? 0;
      json[length] = digitCodes[pair >> 4] ?? 0;
      json[length + 1] = digitCodes[pair & 15] ?? 0;
      length += 2;
    }
  };
  let from = 0;
  for (let at = text.indexOf(markByte); at !== -1; at = text.indexOf(markByte, from)) {
    length += text.copy(json, length, from, at);
    const kind = text[at + 1] ?? 0;
    const groups = kind === uuidByte ? uuidGroups : [kind - baseCode];
    for (const [index, bytes] of groups.entries()) {
      if (index > 0) {
        json[length] = dashByte;
        length += 1;
      }
      put(bytes);
    }
    from = at + 2;
  }
  length += text.copy(json, length, from);
  if (taken !== digits.length) throw new Error('a text has other digits');
  return json.subarray(0, length);
}
