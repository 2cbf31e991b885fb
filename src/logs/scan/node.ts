import { type FieldNames, type ScalarKind, type Shape, scalarKinds } from '../columns/shape.js';

/** The kinds of value found at one path of the scanned lines; updated while scanning. */
export interface ScanNode {
  readonly key: string;
  /** The key as it is usually written, with the closing quote. */
  readonly keyWord: Word;
  /** Its index among the keys of its record, in order of first appearance. */
  readonly index: number;
  /** The number of keys on the way to it. */
  readonly level: number;
  /** The fields of its objects that have types; undefined if it has none. */
  readonly typed: FieldNames | undefined;
  /** A bit set of {@link kinds}. */
  kinds: number;
  /** The fields of its objects; undefined if there was no object. */
  fields: ScanNode[] | undefined;
  byKey: Map<string, ScanNode> | undefined;
  /** Whether its objects have extra fields that are not in `fields`. */
  isPartial: boolean;
  /** The elements of its arrays; undefined if there was no array. */
  elements: ScanNode | undefined;
  /** Whether some array contains two or more objects. */
  hasSeveral: boolean;
  /** The number of the last object with this key, to detect duplicate keys. */
  seenIn: number;
  /** The number of lines with a value here, and the number of the last such line. */
  count: number;
  countedIn: number;
}

/** A word to compare with the bytes of lines, four at a time. */
export interface Word {
  readonly length: number;
  /** Its bytes in little-endian order, with zeros after the last one. */
  readonly fours: readonly number[];
  /** The bits of the last four bytes that belong to the word. */
  readonly lastBits: number;
}

/** Creates a word, which must not contain a line break: the line break that ends the bytes ends every comparison. */
export function createWord(text: string): Word {
  const { length } = Buffer.from(text);
  const bytes = Buffer.alloc(4 * Math.ceil(length / 4));
  bytes.write(text);
  const fours = Array.from({ length: bytes.length / 4 }, (_, index) =>
    bytes.readInt32LE(4 * index),
  );
  return { length, fours, lastBits: (-1 >>> (8 * (bytes.length - length))) | 0 };
}

/** One bit for each kind of scalar. */
export const kinds = {
  VARCHAR: 1,
  UBIGINT: 2,
  BIGINT: 4,
  DOUBLE: 8,
  BOOLEAN: 16,
  LONG: 32,
  FLOAT: 64,
  DECIMAL: 128,
  DIGITS: 256,
} as const satisfies Record<ScalarKind, number>;

/** A node without any values. By default it describes whole lines. */
export function createNode(
  place: Partial<Pick<ScanNode, 'key' | 'index' | 'level' | 'typed'>> = {},
): ScanNode {
  const { key = '', index = 0, level = 0, typed } = place;
  return {
    key,
    keyWord: createWord(JSON.stringify(key).slice(1)),
    index,
    level,
    typed,
    kinds: 0,
    fields: undefined,
    byKey: undefined,
    isPartial: false,
    elements: undefined,
    hasSeveral: false,
    seenIn: 0,
    count: 0,
    countedIn: 0,
  };
}

/** Greater than the index of any field, so that the key after a forgotten one is looked up by name. */
const afterAllFields = 2 ** 20;

/**
 * The node of values that are not remembered. It already has everything that a walk adds to a node, so that a walk
 * only checks that they are JSON.
 */
export const forgotten: ScanNode = createNode({ index: afterAllFields });
forgotten.kinds = -1;
forgotten.fields = [];
forgotten.isPartial = true;
forgotten.elements = forgotten;
forgotten.hasSeveral = true;

/** The shape of a node. */
export function shapeOfNode(node: ScanNode): Shape {
  const { count, fields, elements, hasSeveral, isPartial, typed } = node;
  return {
    scalars: new Set(scalarKinds.filter((kind) => (node.kinds & kinds[kind]) !== 0)),
    count,
    fields: fields && new Map(fields.map((field) => [field.key, shapeOfNode(field)])),
    elements: elements && shapeOfNode(elements),
    hasSeveral,
    isPartial,
    isTyped: typed !== undefined,
  };
}
