import { kindOfNumber } from '../columns/number-kind.js';
import type { FieldNames } from '../columns/shape.js';
import { createWord, kinds, type ScanNode, type Word } from './node.js';

/** The state of a walk through the lines of a file. */
export interface Walk {
  /** Whole lines, each with its line break, which ends every incomplete value. */
  bytes: Buffer;
  /** A view of the same bytes and at least three more, to read four at a time. */
  view: DataView;
  at: number;
  /** The number of lines so far, and of objects in them. */
  lines: number;
  objects: number;
  /** The number of fields remembered at each level. */
  readonly fields: number[];
  /** The number of spellings remembered for each field with a type, by its inner names. */
  readonly spellings: Map<FieldNames, number>;
  /**
   * The fields whose count the current line has raised are the first `countedFields`; the rest are from other lines.
   */
  readonly counted: ScanNode[];
  countedFields: number;
  /** Functions that revert the changes made for the current line, in case it turns out not to be JSON. */
  readonly undo: (() => void)[];
}

/** The bytes of JSON syntax. */
export const byte = {
  quote: 34,
  plus: 43,
  comma: 44,
  minus: 45,
  point: 46,
  zero: 48,
  nine: 57,
  colon: 58,
  bracket: 91,
  backslash: 92,
  bracketEnd: 93,
  e: 101,
  f: 102,
  n: 110,
  t: 116,
  u: 117,
  brace: 123,
  braceEnd: 125,
  space: 32,
} as const;

/** Walks over a scalar and records its kind in a node. */
export function walkScalar(walk: Walk, node: ScanNode): boolean {
  const first = walk.bytes[walk.at];
  if (first === byte.quote) return walkString(walk) && addKind(walk, node, kinds.VARCHAR);
  if (first === byte.t) return walkWord(walk, words.true) && addKind(walk, node, kinds.BOOLEAN);
  if (first === byte.f) return walkWord(walk, words.false) && addKind(walk, node, kinds.BOOLEAN);
  if (first !== byte.n || !walkWord(walk, words.null)) return walkNumber(walk, node);
  return true;
}

const words = {
  true: createWord('true'),
  false: createWord('false'),
  null: createWord('null'),
} as const;

/** Walks over a word if it comes next. */
export function walkWord(walk: Walk, { fours, lastBits, length }: Word): boolean {
  const { view, at } = walk;
  const last = fours.length - 1;
  for (let index = 0; index < last; index++) {
    if (view.getInt32(at + 4 * index, true) !== fours[index]) return false;
  }
  if (((view.getInt32(at + 4 * last, true) ^ (fours[last] ?? 0)) & lastBits) !== 0) return false;
  walk.at = at + length;
  return true;
}

/** Records a kind of scalar in a node; always true. */
function addKind(walk: Walk, node: ScanNode, kind: number): boolean {
  if ((node.kinds & kind) === 0) change(walk, node, 'kinds', node.kinds | kind);
  return true;
}

/**
 * Changes a property of a node, and reverts it if the current line turns out not to be JSON. A separate function,
 * because one with a closure allocates memory on every call.
 */
export function change<K extends 'kinds' | 'fields' | 'elements' | 'isPartial' | 'hasSeveral'>(
  walk: Walk,
  node: ScanNode,
  key: K,
  value: ScanNode[K],
): void {
  const before = node[key];
  node[key] = value;
  walk.undo.push(() => {
    node[key] = before;
  });
}

const ones = 0x01010101;
const highBits = 0x80808080 | 0;
const backslashes = byte.backslash * ones;
/** With this bit flipped, a quote is the next code after the control characters. */
const flips = 2 * ones;
const afterQuote = ((byte.quote ^ 2) + 1) * ones;

/**
 * Returns the position of the next quote, backslash or control character. One always exists: a line break ends the
 * bytes.
 * @see https://graphics.stanford.edu/~seander/bithacks.html#HasLessInWord
 */
function skipLetters({ view }: Walk, from: number): number {
  let at = from;
  for (;;) {
    const four = view.getInt32(at, true);
    const flipped = four ^ flips;
    const backslash = four ^ backslashes;
    const found =
      (((flipped - afterQuote) & ~flipped) | ((backslash - ones) & ~backslash)) & highBits;
    // The lowest bit marks the first byte found; carries may have set higher bits by mistake.
    if (found !== 0) return at + ((31 - Math.clz32(found & -found)) >> 3);
    at += 4;
  }
}

/** Walks over a string, past the closing quote. */
export function walkString(walk: Walk): boolean {
  const { bytes } = walk;
  let at = skipLetters(walk, walk.at + 1);
  while (bytes[at] === byte.backslash) {
    const length = escapeLength(bytes, at);
    if (length === 0) return false;
    at = skipLetters(walk, at + length);
  }
  walk.at = at + 1;
  return bytes[at] === byte.quote;
}

const simpleEscapes = new Set(Buffer.from('"\\/bfnrt'));

/** The length of an escape in bytes; 0 if it is invalid, such as half of a surrogate pair. */
function escapeLength(bytes: Buffer, at: number): number {
  const letter = bytes[at + 1] ?? 0;
  if (simpleEscapes.has(letter)) return 2;
  const unit = escapedUnit(bytes, at);
  if (unit === undefined) return 0;
  if (unit < 0xd800 || unit > 0xdfff) return 6;
  const low = unit < 0xdc00 ? escapedUnit(bytes, at + 6) : undefined;
  return low !== undefined && low >= 0xdc00 && low <= 0xdfff ? 12 : 0;
}

/** The UTF-16 code unit of an escape such as `\u00e9`. */
function escapedUnit(bytes: Buffer, at: number): number | undefined {
  if (bytes[at] !== byte.backslash || bytes[at + 1] !== byte.u) return undefined;
  let unit = 0;
  for (let index = at + 2; index < at + 6; index++) unit = unit * 16 + hexDigit(bytes[index] ?? 0);
  return Number.isNaN(unit) ? undefined : unit;
}

/** The value of a hexadecimal digit; NaN for any other byte. */
function hexDigit(code: number): number {
  if (code >= byte.zero && code <= byte.nine) return code - byte.zero;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= byte.f ? letter - 0x57 : Number.NaN;
}

function skipDigits({ bytes }: Walk, from: number): number {
  let at = from;
  for (;;) {
    const digit = bytes[at] ?? 0;
    if (digit < byte.zero || digit > byte.nine) return at;
    at += 1;
  }
}

/**
 * FLOAT64 can hold any number of at most this length; so can INT64 if it is an integer, and NUMERIC if it has at most
 * nine decimal places.
 */
const maxLength = 15;
const maxPlaces = 9;

function walkNumber(walk: Walk, node: ScanNode): boolean {
  const { bytes } = walk;
  const from = walk.at;
  const isNegative = bytes[from] === byte.minus;
  const start = isNegative ? from + 1 : from;
  const point = skipDigits(walk, start);
  if (point === start) return walkOtherNumber(walk, node);
  const isZero = bytes[start] === byte.zero;
  if (isZero && point - start > 1) return false;
  const isWhole = bytes[point] !== byte.point;
  const end = isWhole ? point : skipDigits(walk, point + 1);
  if (end === point + 1) return false;
  walk.at = end;
  const isShort = end - from <= maxLength && end - point <= maxPlaces + 1;
  if (isShort && isBoundary(bytes[end]) && !(isWhole && isNegative && isZero)) {
    const integer = isNegative ? kinds.BIGINT : kinds.UBIGINT;
    return addKind(walk, node, isWhole ? integer : kinds.DOUBLE);
  }
  if (!walkExponent(walk)) return false;
  return addKind(walk, node, kinds[kindOfNumber(bytes.toString('latin1', from, walk.at))]);
}

/** Walks over an exponent if there is one; false if the number does not end after it. */
function walkExponent(walk: Walk): boolean {
  const { bytes } = walk;
  if (((bytes[walk.at] ?? 0) | 32) === byte.e) {
    const sign = bytes[walk.at + 1];
    const start = walk.at + (sign === byte.plus || sign === byte.minus ? 2 : 1);
    walk.at = skipDigits(walk, start);
    if (walk.at === start) return false;
  }
  return isBoundary(bytes[walk.at]);
}

/** `NaN` and infinities, which DuckDB accepts in any letter case. */
function walkOtherNumber(walk: Walk, node: ScanNode): boolean {
  const text = walk.bytes.toString('latin1', walk.at, walk.at + 10);
  const [word] = /^-?(?:nan|inf(?:inity)?)(?![a-z])/i.exec(text) ?? [];
  walk.at += word?.length ?? 0;
  return word !== undefined && addKind(walk, node, kinds.FLOAT);
}

function isBoundary(next: number | undefined): boolean {
  return (
    next === byte.comma || next === byte.braceEnd || next === byte.bracketEnd || isBlank(next ?? 0)
  );
}

function isBlank(value: number): boolean {
  return value === byte.space || value === 9 || value === 13;
}

/** Walks over blanks and returns the byte after them. */
export function skipBlankBytes(walk: Walk): number {
  const { bytes } = walk;
  let next = bytes[walk.at] ?? 0;
  // Usually there are none, and one comparison shows it.
  if (next > byte.space) return next;
  while (isBlank(next)) {
    walk.at += 1;
    next = bytes[walk.at] ?? 0;
  }
  return next;
}
