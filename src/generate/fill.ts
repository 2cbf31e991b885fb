import { hash } from './hash.js';
import type { Hole, Template } from './template.js';
import type { Texts } from './texts.js';
import { isoFrom } from './world/record.js';

/** The values for a record's holes. */
interface Values {
  /** The timestamp of the record, in unix microseconds. */
  readonly at: number;
  /** The number of the event, the input of its random draws. */
  readonly count: number;
  readonly texts: Texts;
}

/** A record that is ready to be written, in the order of `due`. */
export interface PendingRecord extends Values {
  readonly template: Template;
  readonly due: number;
}

/** Writes a record's line into a buffer with enough room, and returns the index after its end. */
export type Fill = (buffer: Uint8Array, from: number, record: PendingRecord) => number;

/** Writes the value of one hole, and returns the index after its end. */
type Put = (buffer: Uint8Array, from: number, values: Values, hole: Hole) => number;

/** Creates the function that writes records into a buffer as lines of NDJSON. */
export function createFill(seed: number): Fill {
  const put = createPuts(seed);
  return (buffer, from, record) => {
    const { pieces, holes } = record.template;
    let end = from;
    for (const [index, hole] of holes.entries()) {
      end = putBytes(buffer, end, pieces[index]);
      end = put[hole.kind](buffer, end, record, hole);
    }
    return putBytes(buffer, end, pieces[holes.length]);
  };
}

const hexLetters = Buffer.from('0123456789abcdef');

/** The functions that fill each kind of hole. */
function createPuts(seed: number): Readonly<Record<Hole['kind'], Put>> {
  const putSecond = createPutSecond();
  const hexOf =
    (letters: Uint8Array): Put =>
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

/** Writes a UUID of version 4. */
function putUuid(buffer: Uint8Array, from: number, draw: (word: number) => number): void {
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

/** Writes `2026-03-10T11:59:58`; caches the date, because consecutive records usually have the same one. */
function createPutSecond() {
  let cachedDay = Number.NaN;
  let date = Buffer.alloc(0);
  return (buffer: Uint8Array, from: number, at: number) => {
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

const noBytes = new Uint8Array();

/** Copies bytes; for short strings a loop is faster than `set`. */
function putBytes(buffer: Uint8Array, from: number, bytes: Uint8Array = noBytes): number {
  const { length } = bytes;
  if (length > 40) buffer.set(bytes, from);
  else for (let index = 0; index < length; index += 1) buffer[from + index] = bytes[index] ?? 0;
  return from + length;
}

/** Writes a whole number with leading zeros. It runs for each hole, so it makes no object for its parameters. */
function putDigits(buffer: Uint8Array, from: number, value: number, digits: number): number {
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
