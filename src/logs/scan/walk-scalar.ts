import { kinds, type ScanNode } from './node.js';

/** A walk through the lines of a file. */
export interface Walk {
  /** Whole lines, each with its newline: what is cut off by it is found out by that byte. */
  bytes: Buffer;
  /** The same bytes, to be read four at a time. */
  view: DataView;
  at: number;
  /** How many lines there were, and objects in them. */
  lines: number;
  objects: number;
  /** Whether some array held NULL. */
  hasNulls: boolean;
  /** What takes back the news of the line so far: it may yet turn out to be none. */
  readonly undo: (() => void)[];
}

/** The bytes that JSON is made of. */
export const byte = {
  quote: 34,
  plus: 43,
  comma: 44,
  minus: 45,
  point: 46,
  zero: 48,
  nine: 57,
  colon: 58,
  T: 84,
  Z: 90,
  bracket: 91,
  backslash: 92,
  bracketEnd: 93,
  f: 102,
  n: 110,
  t: 116,
  u: 117,
  brace: 123,
  braceEnd: 125,
  space: 32,
} as const;

/** Takes a word that must stand here. */
export function walkWord(walk: Walk, word: Uint8Array): boolean {
  for (let place = 0; place < word.length; place++) {
    if (walk.bytes[walk.at + place] !== word[place]) return false;
  }
  walk.at += word.length;
  return true;
}

/** Adds a kind of scalar to a node; always true. */
export function addKind(walk: Walk, node: ScanNode, kind: number): boolean {
  const before = node.kinds;
  node.setIn = walk.lines;
  if ((before & kind) === 0) {
    node.kinds = before | kind;
    walk.undo.push(() => {
      node.kinds = before;
    });
  }
  return true;
}

const ones = 0x01010101;
const quotes = byte.quote * ones;
const backslashes = byte.backslash * ones;
const spaces = byte.space * ones;
const highBits = 0x80808080 | 0;

/**
 * To the first four bytes among which is a quote, a backslash or a control character, or near the end.
 * @see https://graphics.stanford.edu/~seander/bithacks.html#HasLessInWord
 */
function skipLetters({ view, bytes }: Walk, from: number): number {
  const last = bytes.length - 4;
  let at = from;
  while (at <= last) {
    const four = view.getInt32(at, true);
    const quote = four ^ quotes;
    const backslash = four ^ backslashes;
    const found =
      ((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) | ((four - spaces) & ~four);
    if ((found & highBits) !== 0) return at;
    at += 4;
  }
  return at;
}

/** To the byte after the closing quote. */
export function walkString(walk: Walk): boolean {
  const { bytes } = walk;
  let at = skipLetters(walk, walk.at + 1);
  for (;;) {
    const next = bytes[at] ?? 0;
    if (next === byte.quote) {
      walk.at = at + 1;
      return true;
    }
    if (next < byte.space) return false;
    if (next === byte.backslash) {
      const length = escapeLength(bytes, at);
      if (length === 0) return false;
      at += length;
    } else at += 1;
  }
}

const simpleEscapes = new Set(Buffer.from('"\\/bfnrt'));

/** In bytes; 0 where it is none, which half of a surrogate pair is not. */
function escapeLength(bytes: Buffer, at: number): number {
  const letter = bytes[at + 1] ?? 0;
  if (simpleEscapes.has(letter)) return 2;
  const unit = unitOf(bytes, at);
  if (unit === undefined) return 0;
  if (unit < 0xd800 || unit > 0xdfff) return 6;
  const low = unit < 0xdc00 ? unitOf(bytes, at + 6) : undefined;
  return low !== undefined && low >= 0xdc00 && low <= 0xdfff ? 12 : 0;
}

/** The code unit of an escape such as `\u00e9`. */
function unitOf(bytes: Buffer, at: number): number | undefined {
  if (bytes[at] !== byte.backslash || bytes[at + 1] !== byte.u) return undefined;
  const digits = bytes.toString('latin1', at + 2, at + 6);
  return /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : undefined;
}

function isDigit(value: number | undefined): boolean {
  return value !== undefined && value >= byte.zero && value <= byte.nine;
}

function skipDigits({ bytes }: Walk, from: number): number {
  let at = from;
  while (isDigit(bytes[at])) at += 1;
  return at;
}

/** Integers of more digits than these may be past 64 bits. */
const maxDigits = 18;

/** To the byte after a number, which must be a plain one. */
export function walkNumber(walk: Walk, node: ScanNode): boolean {
  const { bytes } = walk;
  const isNegative = bytes[walk.at] === byte.minus;
  const start = isNegative ? walk.at + 1 : walk.at;
  const end = skipDigits(walk, start);
  const isZero = bytes[start] === byte.zero;
  if (end === start || end - start > (isZero ? 1 : maxDigits)) return false;
  walk.at = end;
  const next = bytes[end];
  if (next === byte.point) return walkFraction(walk) && addKind(walk, node, kinds.DOUBLE);
  // An exponent is rare: it is not read here.
  if (!isBoundary(next) || (isNegative && isZero)) return false;
  return addKind(walk, node, isNegative ? kinds.BIGINT : kinds.UBIGINT);
}

function walkFraction(walk: Walk): boolean {
  const start = walk.at + 1;
  walk.at = skipDigits(walk, start);
  return walk.at > start && isBoundary(walk.bytes[walk.at]);
}

function isBoundary(next: number | undefined): boolean {
  return (
    next === byte.comma || next === byte.braceEnd || next === byte.bracketEnd || isBlank(next ?? 0)
  );
}

function isBlank(value: number): boolean {
  return value === byte.space || value === 9 || value === 13;
}

/** To the first byte that is no blank. */
export function skipBlanks(walk: Walk): number {
  const { bytes } = walk;
  let next = bytes[walk.at] ?? 0;
  while (isBlank(next)) {
    walk.at += 1;
    next = bytes[walk.at] ?? 0;
  }
  return next;
}
