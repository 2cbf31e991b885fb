import type { NumberKind } from './number-kind.js';

/** The kinds of scalar. */
export type ScalarKind = NumberKind | 'BOOLEAN' | 'VARCHAR';

/** The kinds of value that occur at one path of the records, over all lines. */
export interface Shape {
  readonly scalars: Set<ScalarKind>;
  /** The fields of its objects, spelled as in the files; undefined if there is no object. */
  fields: Map<string, Shape> | undefined;
  /** The elements of its arrays; undefined if there is no array. */
  elements: Shape | undefined;
}

/** The shape of no lines. */
export function emptyShape(): Shape {
  return { scalars: new Set(), fields: undefined, elements: undefined };
}

/** Whether a key can be a name in DuckDB; if not, its values are left out. */
export function isUsable(key: string): boolean {
  return key !== '' && !key.includes('\0');
}

/** Adds one shape to another. */
export function addShape(shape: Shape, other: Shape): void {
  for (const kind of other.scalars) shape.scalars.add(kind);
  if (other.fields) {
    const fields = fieldsOf(shape);
    for (const [key, child] of other.fields) addShape(childOf(fields, key), child);
  }
  if (other.elements) addShape(elementsOf(shape), other.elements);
}

/** Counts of a file's lines, before they are converted. */
export interface LineCounts {
  readonly objects: number;
  /** Lines that are not JSON objects, including those that are nested too deeply. */
  readonly bad: number;
  readonly tooDeep: boolean;
  /** Whether some object has no usable `id`. */
  readonly lacksId: boolean;
}

function fieldsOf(shape: Shape): Map<string, Shape> {
  shape.fields ??= new Map();
  return shape.fields;
}

function elementsOf(shape: Shape): Shape {
  shape.elements ??= emptyShape();
  return shape.elements;
}

function childOf(fields: Map<string, Shape>, key: string): Shape {
  const child = fields.get(key) ?? emptyShape();
  fields.set(key, child);
  return child;
}
