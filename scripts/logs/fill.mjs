import { isoFrom } from '../fixtures/record.mjs';
import { hash } from './hash.mjs';

/** @typedef {import('./template.mjs').Hole} Hole */
/** @typedef {import('./template.mjs').Template} Template */

/**
 * What a record's holes are filled with.
 * @typedef {object} Given
 * @property {number} at the record's instant, unix microseconds
 * @property {number} count the number of its event, which decides what is drawn
 * @property {Texts} texts
 */

/**
 * The texts of a user of a project, as bytes.
 * @typedef {object} Texts
 * @property {Uint8Array} project
 * @property {Uint8Array} id
 * @property {Uint8Array} email
 * @property {Uint8Array} address
 */

/** A record before it is written: what it is made of, and when it is its turn. @typedef {Given & { readonly template: Template, readonly due: number }} Filled */

/** Gives where the line ends; the buffer must have room. @typedef {(buffer: Uint8Array, from: number, given: Filled) => number} Fill */

/** @typedef {(buffer: Uint8Array, from: number, given: Given, hole: Hole) => number} Put */

/**
 * Writes records into a buffer as lines of NDJSON.
 * @param {number} seed
 * @returns {Fill}
 */
export function createFill(seed) {
  const put = createPuts(seed);
  return (buffer, from, given) => {
    const { pieces, holes } = given.template;
    let end = from;
    for (let place = 0; place < holes.length; place += 1) {
      end = putBytes(buffer, end, /** @type {Uint8Array} */ (pieces[place]));
      const hole = /** @type {Hole} */ (holes[place]);
      end = put[hole.kind](buffer, end, given, hole);
    }
    return putBytes(buffer, end, /** @type {Uint8Array} */ (pieces[holes.length]));
  };
}

const hexLetters = Buffer.from('0123456789abcdef');

/** How each kind of hole is filled. @param {number} seed @returns {Readonly<Record<Hole['kind'], Put>>} */
function createPuts(seed) {
  const putSecond = createPutSecond();
  /** @type {(letters: Uint8Array) => Put} */
  const hexOf =
    (letters) =>
    (buffer, from, { count }, { digits, lane }) => {
      let bits = 0;
      for (let place = 0; place < digits; place += 1) {
        if (place % 8 === 0) bits = hash(seed, count, lane + place / 8);
        buffer[from + place] = letters[bits & 15] ?? 0;
        bits >>>= 4;
      }
      return from + digits;
    };
  return {
    project: (buffer, from, { texts }) => putBytes(buffer, from, texts.project),
    id: (buffer, from, { texts }) => putBytes(buffer, from, texts.id),
    email: (buffer, from, { texts }) => putBytes(buffer, from, texts.email),
    address: (buffer, from, { texts }) => putBytes(buffer, from, texts.address),
    hex: hexOf(hexLetters),
    capitals: hexOf(Buffer.from('0123456789ABCDEF')),
    uuid: (buffer, from, { count }, { lane }) => {
      putUuid(buffer, from, (word) => hash(seed, count, lane + word));
      return from + 36;
    },
    micros: (buffer, from, { at }) => putDigits(buffer, from, at, 16),
    time: (buffer, from, { at }, { digits, separator }) => {
      putSecond(buffer, from, at);
      buffer[from + 10] = separator;
      if (digits === 0) return from + 19;
      buffer[from + 19] = 46;
      const fraction = Math.floor((at % 1e6) / 10 ** (6 - digits));
      return putDigits(buffer, from + 20, fraction, digits);
    },
  };
}

/** A UUID of version 4. @param {Uint8Array} buffer @param {number} from @param {(word: number) => number} draw */
function putUuid(buffer, from, draw) {
  let bits = 0;
  for (let place = 0; place < 32; place += 1) {
    if (place % 8 === 0) bits = draw(place / 8);
    buffer[from + (uuidDigits[place] ?? 0)] = hexLetters[bits & 15] ?? 0;
    bits >>>= 4;
  }
  for (const dash of uuidDashes) buffer[from + dash] = 45;
  buffer[from + 14] = 52;
  buffer[from + 19] = variants[draw(0) >>> 30] ?? 56;
}

/** `2026-03-10T11:59:58`; the date of the last record is kept: the next ones are of the same. */
function createPutSecond() {
  let kept = Number.NaN;
  let date = Buffer.alloc(0);
  return (
    /** @type {Uint8Array} */ buffer,
    /** @type {number} */ from,
    /** @type {number} */ at,
  ) => {
    const second = Math.floor(at / 1e6);
    const day = Math.floor(second / 86_400);
    if (day !== kept) date = Buffer.from(isoFrom(day * 86_400e6).slice(0, 19));
    kept = day;
    putBytes(buffer, from, date);
    const left = second - day * 86_400;
    putDigits(buffer, from + 11, Math.floor(left / 3600), 2);
    putDigits(buffer, from + 14, Math.floor(left / 60) % 60, 2);
    putDigits(buffer, from + 17, left % 60, 2);
  };
}

/** Short texts byte by byte: a call of `set` costs more. @param {Uint8Array} buffer @param {number} from @param {Uint8Array} bytes */
function putBytes(buffer, from, bytes) {
  const { length } = bytes;
  if (length > 40) buffer.set(bytes, from);
  else for (let place = 0; place < length; place += 1) buffer[from + place] = bytes[place] ?? 0;
  return from + length;
}

/** @param {Uint8Array} buffer @param {number} from @param {number} value @param {number} digits */
function putDigits(buffer, from, value, digits) {
  let left = value;
  for (let place = digits - 1; place >= 0; place -= 1) {
    const tens = Math.floor(left / 10);
    buffer[from + place] = 48 + (left - tens * 10);
    left = tens;
  }
  return from + digits;
}

/** Where the 32 digits of a UUID stand, and its dashes. */
const uuidDigits = Array.from({ length: 36 }, (_, place) => place).filter(
  (place) => ![8, 13, 18, 23].includes(place),
);
const uuidDashes = [8, 13, 18, 23];
const variants = Buffer.from('89ab');
