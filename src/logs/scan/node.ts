import type { ScalarKind, Shape } from '../columns/shape.js';

/** Everything that stands at one path of the lines scanned; it grows while they are. */
export interface ScanNode {
  readonly key: string;
  /** The key as it stands in a file, with the quote after it. */
  readonly keyBytes: Uint8Array;
  /** Its place among the keys of its record, in order of their first appearance. */
  readonly place: number;
  /** Bits of `kinds`. */
  kinds: number;
  /** The keys of its objects; undefined where no object stands. */
  fields: ScanNode[] | undefined;
  readonly places: Map<string, ScanNode>;
  /** What its arrays hold; undefined where no array stands. */
  elements: ScanNode | undefined;
  /** Whether some array holds two objects or more. */
  hasSeveral: boolean;
  /** The last object in which the key stood, by number: to find a key that stands twice. */
  seenIn: number;
  /** The last line in which a scalar stood here, by number. */
  setIn: number;
  readonly isId: boolean;
  readonly isTime: boolean;
  /** Where its last value stands, of an `id` or a timestamp. */
  from: number;
  to: number;
}

/** The kinds of scalar, a bit each. */
export const kinds = { VARCHAR: 1, UBIGINT: 2, BIGINT: 4, DOUBLE: 8, BOOLEAN: 16 } as const;

/** A node that has seen nothing. */
export function createNode(key = '', place = 0): ScanNode {
  return {
    key,
    keyBytes: Buffer.from(`${key}"`),
    place,
    kinds: 0,
    fields: undefined,
    places: new Map(),
    elements: undefined,
    hasSeveral: false,
    seenIn: 0,
    setIn: 0,
    isId: key.toLowerCase() === 'id',
    isTime: key.toLowerCase() === 'timestamp',
    from: 0,
    to: 0,
  };
}

/** The shape of a node, for the plan. */
export function shapeOfNode(node: ScanNode): Shape {
  const { fields, elements } = node;
  const names = Object.keys(kinds) as readonly ScalarKind[];
  return {
    scalars: new Set(names.filter((name) => (node.kinds & kinds[name]) !== 0)),
    fields: fields && new Map(fields.map((field) => [field.key, shapeOfNode(field)])),
    elements: elements && shapeOfNode(elements),
    hidden: false,
  };
}

/** The keys of a path of the files as one text. */
export function printKeys(keys: readonly string[]): string {
  return JSON.stringify(keys);
}

/** Where arrays hold two objects or more, by `printKeys`: arrays on the way do not count. */
export function severalPaths(node: ScanNode, keys: readonly string[] = []): readonly string[] {
  const fields = [...(node.fields ?? []), ...(node.elements?.fields ?? [])];
  const inner = fields.flatMap((field) => severalPaths(field, [...keys, field.key]));
  return node.hasSeveral ? [printKeys(keys), ...inner] : inner;
}
