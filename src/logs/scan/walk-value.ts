import { maxDepth } from '../files/line-reader.js';
import { createNode, forgotten, type ScanNode } from './node.js';
import type { Walk } from './walk-scalar.js';
import { byte, change, skipBlankBytes, walkScalar, walkString, walkWord } from './walk-scalar.js';

/**
 * The number of fields that a scan remembers at each level, and at all deeper levels together; each takes memory.
 * Lower levels get types first, so deeper fields may not take their places.
 */
const maxFields = 10_000;
const countedLevels = 4;

/** A field with a type is always remembered, but only in this many spellings. */
const maxSpellings = 16;

/**
 * Walks over one value and records its structure in a node. Returns false if it is not plain JSON: DuckDB reads plain
 * JSON in the same way, but must be asked about other lines.
 */
export function walkValue(walk: Walk, node: ScanNode, depth: number): boolean {
  const first = walk.bytes[walk.at];
  if (first !== byte.brace && first !== byte.bracket) return walkScalar(walk, node);
  if (depth >= maxDepth) return false;
  return first === byte.brace ? walkObject(walk, node, depth) : walkArray(walk, node, depth);
}

/** Skips blanks, then consumes the expected byte if it comes next. */
function consume(walk: Walk, expected: number): boolean {
  if (skipBlankBytes(walk) !== expected) return false;
  walk.at += 1;
  return true;
}

function consumeAny(walk: Walk): number {
  const next = skipBlankBytes(walk);
  walk.at += 1;
  return next;
}

function walkObject(walk: Walk, node: ScanNode, depth: number): boolean {
  const fields = node.fields ?? [];
  if (node.fields === undefined) change(walk, node, 'fields', fields);
  walk.at += 1;
  if (consume(walk, byte.braceEnd)) return true;
  walk.objects += 1;
  const own = walk.objects;
  let index = 0;
  for (;;) {
    const key = consumeKey(walk, node, fields, index);
    if (key === undefined || !consume(walk, byte.colon)) return false;
    index = key.index + 1;
    skipBlankBytes(walk);
    if (!walkValue(walk, claim(walk, key, own), depth + 1)) return false;
    const next = consumeAny(walk);
    if (next === byte.braceEnd) return true;
    if (next !== byte.comma) return false;
  }
}

/** Only the first of several values of a key counts. */
function claim(walk: Walk, field: ScanNode, object: number): ScanNode {
  if (field === forgotten || field.seenIn === object) return forgotten;
  field.seenIn = object;
  // Count each line once, even if several of its objects have the field.
  if (field.countedIn === walk.lines) return field;
  field.countedIn = walk.lines;
  field.count += 1;
  walk.counted[walk.countedFields++] = field;
  return field;
}

/** The number of keys to compare, in the usual order, before a key is looked up by name. */
const lookAhead = 4;

/** The field of the key that begins here: usually the one that followed in earlier objects. */
function consumeKey(
  walk: Walk,
  node: ScanNode,
  fields: ScanNode[],
  from: number,
): ScanNode | undefined {
  if (!consume(walk, byte.quote)) return undefined;
  for (let index = from; index < from + lookAhead; index++) {
    const field = fields[index];
    if (field === undefined) break;
    if (walkWord(walk, field.keyWord)) return field;
  }
  return findKey(walk, node, fields);
}

function findKey(walk: Walk, node: ScanNode, fields: ScanNode[]): ScanNode | undefined {
  const start = walk.at;
  walk.at -= 1;
  if (!walkString(walk)) return undefined;
  const written = walk.bytes.toString('utf8', start, walk.at - 1);
  const key = written.includes('\\') ? String(JSON.parse(`"${written}"`)) : written;
  return node.byKey?.get(key) ?? addField(walk, node, fields, key);
}

function addField(walk: Walk, node: ScanNode, fields: ScanNode[], key: string): ScanNode {
  if (node === forgotten) return forgotten;
  const level = Math.min(node.level, countedLevels);
  const known = walk.fields[level] ?? 0;
  const typed = node.typed?.get(key.toLowerCase());
  const spellings = (typed && walk.spellings.get(typed)) ?? 0;
  if (known >= maxFields && (typed === undefined || spellings >= maxSpellings)) {
    if (!node.isPartial) change(walk, node, 'isPartial', true);
    return forgotten;
  }
  const field = createNode({ key, index: fields.length, level: node.level + 1, typed });
  walk.fields[level] = known + 1;
  if (typed !== undefined) walk.spellings.set(typed, spellings + 1);
  fields.push(field);
  node.byKey ??= new Map();
  const byKey = node.byKey.set(key, field);
  walk.undo.push(() => {
    walk.fields[level] = known;
    if (typed !== undefined) walk.spellings.set(typed, spellings);
    fields.pop();
    byKey.delete(key);
  });
  return field;
}

function walkArray(walk: Walk, node: ScanNode, depth: number): boolean {
  const elements = node.elements ?? createNode({ level: node.level, typed: node.typed });
  if (node.elements === undefined) change(walk, node, 'elements', elements);
  walk.at += 1;
  if (consume(walk, byte.bracketEnd)) return true;
  let objects = 0;
  for (;;) {
    const first = skipBlankBytes(walk);
    if (first === byte.brace) objects += 1;
    if (!walkValue(walk, elements, depth + 1)) return false;
    if (objects > 1 && !node.hasSeveral) change(walk, node, 'hasSeveral', true);
    const next = consumeAny(walk);
    if (next === byte.bracketEnd) return true;
    if (next !== byte.comma) return false;
  }
}
