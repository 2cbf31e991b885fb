import { createNode, kinds, type ScanNode } from './load-scan-node.js';

/** A walk through the lines of a file. */
export interface Walk {
  /** Whole lines, each with its newline: what is cut off by it is found out by that byte. */
  bytes: Buffer;
  at: number;
  /** How many lines there were, and objects in them. */
  lines: number;
  objects: number;
  /** What takes back the news of the line so far: it may yet turn out to be none. */
  readonly undo: (() => void)[];
}

/** Deeper than this is left to the checks of the loader. */
const maxDepth = 60;

/** Past so many keys a record is a map, and no more of them need be known. */
const maxKeys = 1001;

/**
 * Walks over one value and adds to a node what it holds; false where it is not JSON of the plainest
 * kind. What passes, DuckDB reads in the same way; what does not must be asked of DuckDB.
 */
export function walkValue(walk: Walk, node: ScanNode, depth: number): boolean {
  const first = walk.bytes[walk.at];
  if (first === byte.quote) return walkString(walk) && addKind(walk, node, kinds.VARCHAR);
  if (first === byte.brace) return walkObject(walk, node, depth);
  if (first === byte.bracket) return walkArray(walk, node, depth);
  if (first === byte.t) return walkWord(walk, words.true) && addKind(walk, node, kinds.BOOLEAN);
  if (first === byte.f) return walkWord(walk, words.false) && addKind(walk, node, kinds.BOOLEAN);
  if (first === byte.n) return walkWord(walk, words.null);
  return walkNumber(walk, node);
}

const byte = {
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
  f: 102,
  n: 110,
  t: 116,
  u: 117,
  brace: 123,
  braceEnd: 125,
  space: 32,
} as const;

const words = {
  true: Buffer.from('true'),
  false: Buffer.from('false'),
  null: Buffer.from('null'),
} as const;

function walkWord(walk: Walk, word: Uint8Array): boolean {
  for (let place = 0; place < word.length; place++) {
    if (walk.bytes[walk.at + place] !== word[place]) return false;
  }
  walk.at += word.length;
  return true;
}

function addKind(walk: Walk, node: ScanNode, kind: number): boolean {
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

/** To the byte after the closing quote. */
function walkString(walk: Walk): boolean {
  const { bytes } = walk;
  let at = walk.at + 1;
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

function walkNumber(walk: Walk, node: ScanNode): boolean {
  const { bytes } = walk;
  const isNegative = bytes[walk.at] === byte.minus;
  const start = isNegative ? walk.at + 1 : walk.at;
  const end = skipDigits(walk, start);
  const hasZero = bytes[start] === byte.zero && (end - start > 1 || isNegative);
  if (end === start || end - start > maxDigits || hasZero) return false;
  walk.at = end;
  const next = bytes[end];
  if (next === byte.point) return walkFraction(walk) && addKind(walk, node, kinds.DOUBLE);
  // An exponent is rare: it is not read here.
  if (!isBoundary(next)) return false;
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

/** Takes a byte that must come next, blanks left aside. */
function takes(walk: Walk, expected: number): boolean {
  if (skipBlanks(walk) !== expected) return false;
  walk.at += 1;
  return true;
}

function takeAny(walk: Walk): number {
  const next = skipBlanks(walk);
  walk.at += 1;
  return next;
}

function walkObject(walk: Walk, node: ScanNode, depth: number): boolean {
  if (depth > maxDepth) return false;
  const fields = fieldsOf(walk, node);
  walk.at += 1;
  return takes(walk, byte.braceEnd) || walkMembers(walk, { node, fields, depth });
}

interface Members {
  readonly node: ScanNode;
  readonly fields: readonly ScanNode[];
  readonly depth: number;
}

function walkMembers(walk: Walk, { node, fields, depth }: Members): boolean {
  walk.objects += 1;
  const own = walk.objects;
  let place = 0;
  for (;;) {
    const field = takes(walk, byte.quote) ? takeKey(walk, node, fields, place) : undefined;
    if (field === undefined || field.seenIn === own) return false;
    field.seenIn = own;
    place = field.place + 1;
    if (!takes(walk, byte.colon)) return false;
    skipBlanks(walk);
    if (!walkValue(walk, field, depth + 1)) return false;
    const next = takeAny(walk);
    if (next === byte.braceEnd) return true;
    if (next !== byte.comma) return false;
  }
}

function fieldsOf(walk: Walk, node: ScanNode): ScanNode[] {
  if (node.fields !== undefined) return node.fields;
  const fields: ScanNode[] = [];
  node.fields = fields;
  walk.undo.push(() => {
    node.fields = undefined;
  });
  return fields;
}

/** How many keys may be left out of the usual order before they are looked up by name. */
const lookAhead = 4;

/** The field of the key that begins here: most often the one that came next before. */
function takeKey(
  walk: Walk,
  node: ScanNode,
  fields: readonly ScanNode[],
  from: number,
): ScanNode | undefined {
  for (let place = from; place < from + lookAhead; place++) {
    const field = fields[place];
    if (field === undefined) break;
    if (walkWord(walk, field.keyBytes)) return field;
  }
  return findKey(walk, node);
}

function findKey(walk: Walk, node: ScanNode): ScanNode | undefined {
  const start = walk.at;
  walk.at -= 1;
  if (!walkString(walk)) return undefined;
  const key = walk.bytes.toString('utf8', start, walk.at - 1);
  if (key.includes('\\')) return undefined;
  return node.places.get(key) ?? addField(walk, node, key);
}

function addField(walk: Walk, node: ScanNode, key: string): ScanNode {
  const fields = fieldsOf(walk, node);
  const field = createNode(key, fields.length);
  if (fields.length >= maxKeys) return field;
  fields.push(field);
  node.places.set(key, field);
  walk.undo.push(() => {
    fields.pop();
    node.places.delete(key);
  });
  return field;
}

function walkArray(walk: Walk, node: ScanNode, depth: number): boolean {
  if (depth > maxDepth) return false;
  const elements = elementsOf(walk, node);
  walk.at += 1;
  if (takes(walk, byte.bracketEnd)) return true;
  let objects = 0;
  for (;;) {
    if (skipBlanks(walk) === byte.brace) objects += 1;
    if (!walkValue(walk, elements, depth + 1)) return false;
    if (objects > 1) addSeveral(walk, node);
    const next = takeAny(walk);
    if (next === byte.bracketEnd) return true;
    if (next !== byte.comma) return false;
  }
}

function elementsOf(walk: Walk, node: ScanNode): ScanNode {
  if (node.elements !== undefined) return node.elements;
  const elements = createNode();
  node.elements = elements;
  walk.undo.push(() => {
    node.elements = undefined;
  });
  return elements;
}

function addSeveral(walk: Walk, node: ScanNode): void {
  if (node.hasSeveral) return;
  node.hasSeveral = true;
  walk.undo.push(() => {
    node.hasSeveral = false;
  });
}
