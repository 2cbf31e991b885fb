import type { ByteWriter } from './byte-writer.js';

/** A text without its UUIDs and long hexadecimal numbers, and their digits. */
export interface PackedText {
  readonly text: string;
  readonly digits: string;
}

/** Marks where digits were taken out; the next character says what they were. JSON never contains U+0001: strings escape it. */
const mark = '\u0001';
/** The character after a mark for a UUID. */
const uuidKind = 'u';
/** For a number, its code is this plus the number of bytes, 8 to 64. So it is never a line feed. */
const baseCode = ' '.charCodeAt(0);

/**
 * A UUID or a hexadecimal number in lower case, of which it takes an even number of digits, 16 to 128. Decimal numbers stay:
 * they often begin alike, and compress well as text.
 */
const hexNumber =
  /\b(?:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|(?![0-9]+\b)(?:[0-9a-f]{2}){8,64})/g;

/** Longer texts, in characters, stay as they are: a hex dump with spaces would take much time and memory. */
const maxLength = 65_536;

/**
 * Takes UUIDs and long hexadecimal numbers out of a JSON text. A random digit takes brotli five bits or more as text, four in
 * a byte.
 * @throws Error if the text contains U+0001
 */
export function packHex(json: string): PackedText {
  if (json.includes(mark)) throw new Error('a JSON text contains U+0001');
  if (json.length > maxLength) return { text: json, digits: '' };
  const kept: string[] = [];
  const taken: string[] = [];
  let from = 0;
  // Faster than `replace`.
  for (const { 0: match, index } of json.matchAll(hexNumber)) {
    const digits = match.replaceAll('-', '');
    const kind = digits === match ? String.fromCharCode(baseCode + digits.length / 2) : uuidKind;
    kept.push(json.slice(from, index), mark, kind);
    taken.push(digits);
    from = index + match.length;
  }
  return { text: kept.join('') + json.slice(from), digits: taken.join('') };
}

const markByte = mark.charCodeAt(0);
const uuidByte = uuidKind.charCodeAt(0);
const dashByte = '-'.charCodeAt(0);
const digitCodes = Buffer.from('0123456789abcdef');

/** The groups of digits of a UUID, in bytes. */
const uuidGroups = [4, 2, 2, 2, 6];

/**
 * Writes a text in UTF-8 with its digits, two to a byte, put back. Works on bytes, because strings take twice as long.
 * @throws Error if the text has more or fewer digits
 */
export function unpackHex(text: Buffer, digits: Uint8Array, output: ByteWriter): void {
  if (digits.length === 0 && !text.includes(markByte)) {
    output.write(text);
    return;
  }
  // Three bytes for each byte of digits are enough: a UUID has 36 characters, and 16 bytes of digits.
  const json = output.reserve(text.length + 3 * digits.length);
  let { length } = output;
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
  if (taken !== digits.length) throw new Error('a text has more or fewer digits than are stored');
  output.length = length;
}
