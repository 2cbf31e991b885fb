import { isoFrom } from '../fixtures/record.mjs';
import { hash } from './hash.mjs';

/** @typedef {import('./template.mjs').Hole} Hole */
/** @typedef {import('./template.mjs').Template} Template */

/**
 * The values for a record's holes.
 * @typedef {object} Values
 * @property {number} at timestamp of the record, unix microseconds
 * @property {number} count number of the event, the input of its random draws
 * @property {Texts} texts
 */

/**
 * The strings of one user of a project, as bytes.
 * @typedef {object} Texts
 * @property {Uint8Array} project
 * @property {Uint8Array} id
 * @property {Uint8Array} email
 * @property {Uint8Array} address
 */

/** A record that is ready to be written, in the order of `due`. @typedef {Values & { readonly template: Template, readonly due: number }} PendingRecord */

/** Writes a record's line into a buffer with enough room, and returns the index after its end. @typedef {(buffer: Uint8Array, from: number, record: PendingRecord) => number} Fill */

/** Writes the value of one hole, and returns the index after its end. @typedef {(buffer: Uint8Array, from: number, values: Values, hole: Hole) => number} Put */

/**
 * Creates the function that writes records into a buffer as lines of NDJSON.
 * @param {number} seed
 * @returns {Fill}
 */
export function createFill(seed) {
  const put = createPuts(seed);
  return (buffer, from, record) => {
    const { pieces, holes } = record.template;
    let end = from;
    for (let index = 0; index < holes.length; index += 1) {
      end = putBytes(buffer, end, /** @type {Uint8Array} */ (pieces[index]));
      const hole = /** @type {Hole} */ (holes[index]);
      end = put[hole.kind](buffer, end, record, hole);
    }
    return putBytes(buffer, end, /** @type {Uint8Array} */ (pieces[holes.length]));
  };
}

const hexLetters = Buffer.from('0123456789abcdef');

/** The functions that fill each kind of hole. @param {number} seed @returns {Readonly<Record<Hole['kind'], Put>>} */
function createPuts(seed) {
  const putSecond = createPutSecond();
  /** @type {(letters: Uint8Array) => Put} */
  const hexOf =
    (letters) =>
    (buffer, from, { count }, { digits, lane }) => {
      let bits = 0;
      for (let index = 0; index < digits; index += 1) {
        if (index % 8 === 0) bits = hash(seed, count, lane + index / 8);
        buffer[from + index] = letters[bits & 15] ?? 0;
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

/** Writes a UUID of version 4. @param {Uint8Array} buffer @param {number} from @param {(word: number) => number} draw */
function putUuid(buffer, from, draw) {
  let bits = 0;
  for (let index = 0; index < 32; index += 1) {
    if (index % 8 === 0) bits = draw(index / 8);
    buffer[from + (uuidDigits[index] ?? 0)] = hexLetters[bits & 15] ?? 0;
    bits >>>= 4;
  }
  for (const dash of uuidDashes) buffer[from + dash] = 45;
  buffer[from + 14] = 52;
  buffer[from + 19] = variants[draw(0) >>> 30] ?? 56;
}

/** Writes `2026-03-10T11:59:58`; caches the date, which is usually that of the previous record. */
function createPutSecond() {
  let cachedDay = Number.NaN;
  let date = Buffer.alloc(0);
  return (
    /** @type {Uint8Array} */ buffer,
    /** @type {number} */ from,
    /** @type {number} */ at,
  ) => {
    const second = Math.floor(at / 1e6);
    const day = Math.floor(second / 86_400);
    if (day !== cachedDay) date = Buffer.from(isoFrom(day * 86_400e6).slice(0, 19));
    cachedDay = day;
    putBytes(buffer, from, date);
    const left = second - day * 86_400;
    putDigits(buffer, from + 11, Math.floor(left / 3600), 2);
    putDigits(buffer, from + 14, Math.floor(left / 60) % 60, 2);
    putDigits(buffer, from + 17, left % 60, 2);
  };
}

/** Copies bytes; for short strings a loop is faster than `set`. @param {Uint8Array} buffer @param {number} from @param {Uint8Array} bytes */
function putBytes(buffer, from, bytes) {
  const { length } = bytes;
  if (length > 40) buffer.set(bytes, from);
  else for (let index = 0; index < length; index += 1) buffer[from + index] = bytes[index] ?? 0;
  return from + length;
}

/** @param {Uint8Array} buffer @param {number} from @param {number} value @param {number} digits */
function putDigits(buffer, from, value, digits) {
  let left = value;
  for (let index = digits - 1; index >= 0; index -= 1) {
    const rest = Math.floor(left / 10);
    buffer[from + index] = 48 + (left - rest * 10);
    left = rest;
  }
  return from + digits;
}

/** The indexes of the 32 digits of a UUID, and of its dashes. */
const uuidDigits = Array.from({ length: 36 }, (_, index) => index).filter(
  (index) => ![8, 13, 18, 23].includes(index),
);
const uuidDashes = [8, 13, 18, 23];
const variants = Buffer.from('89ab');
