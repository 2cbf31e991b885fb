import { type Field, recordFields } from '../../types/types.js';
import { numberKinds } from './number-kind.js';

/** The kinds of scalar. */
export const scalarKinds = [...numberKinds, 'BOOLEAN', 'VARCHAR'] as const;

/** One of the {@link scalarKinds}. */
export type ScalarKind = (typeof scalarKinds)[number];

/** The kinds of value that occur at one path of the records, over all lines. */
export interface Shape {
  readonly scalars: Set<ScalarKind>;
  /** The number of records with a value here. */
  count: number;
  /** The fields of its objects, spelled as in the files; undefined if there is no object. */
  fields: Map<string, Shape> | undefined;
  /** The elements of its arrays; undefined if there is no array. */
  elements: Shape | undefined;
  /** Whether some array has several objects. */
  hasSeveral: boolean;
  /** Whether its objects have fields that are not in `fields`, of unknown names. */
  isPartial: boolean;
  /** Whether it was declared, or had a type, when the records were read: then no partial shape lacks it. */
  isTyped: boolean;
}

/** Names of fields in lower case, each with its inner names. */
export interface FieldNames extends ReadonlyMap<string, FieldNames> {}

/** Returns the names of fields; a name may occur more than once. */
export function fieldNames(fields: readonly Field[]): FieldNames {
  const below = new Map<string, readonly Field[]>();
  for (const { name, type } of fields) {
    const lower = name.toLowerCase();
    below.set(lower, [...(below.get(lower) ?? []), ...recordFields(type)]);
  }
  return new Map([...below].map(([name, inner]) => [name, fieldNames(inner)]));
}

/** The shape of no lines. */
export function emptyShape(): Shape {
  return {
    scalars: new Set(),
    count: 0,
    fields: undefined,
    elements: undefined,
    hasSeveral: false,
    isPartial: false,
    isTyped: false,
  };
}

/**
 * Adds one shape to another. If either is partial, keeps only the fields of the partial shape and typed ones: the
 * partial shape may have had the others, too.
 */
export function addShape(shape: Shape, other: Shape): void {
  for (const kind of other.scalars) shape.scalars.add(kind);
  shape.count += other.count;
  shape.isTyped ||= other.isTyped;
  shape.hasSeveral ||= other.hasSeveral;
  if (other.fields) addFields(shape, other);
  if (other.elements === undefined) return;
  shape.elements ??= emptyShape();
  addShape(shape.elements, other.elements);
}

function addFields(shape: Shape, { fields: added = new Map<string, Shape>(), isPartial }: Shape) {
  shape.fields ??= new Map();
  const { fields } = shape;
  for (const [key, child] of added) {
    const known = fields.get(key) ?? emptyShape();
    if (shape.isPartial && !fields.has(key) && !child.isTyped) continue;
    fields.set(key, known);
    addShape(known, child);
  }
  if (!isPartial) return;
  for (const [key, { isTyped }] of fields) {
    if (!isTyped && !added.has(key)) fields.delete(key);
  }
  shape.isPartial = true;
}

/** Joins several shapes into one. */
export function joinShapes(shapes: readonly Shape[]): Shape {
  const [only, ...others] = shapes;
  if (only !== undefined && others.length === 0) return only;
  const joined = emptyShape();
  for (const shape of shapes) addShape(joined, shape);
  return joined;
}

/** The shape of the objects at a path, those in arrays included, without the arrays. */
export function recordShape({ fields, elements, isPartial }: Shape): Shape {
  const objects = { ...emptyShape(), fields, isPartial };
  if (elements?.fields === undefined) return objects;
  const inArrays = { ...elements, elements: undefined };
  return fields === undefined ? inArrays : joinShapes([objects, inArrays]);
}

/**
 * Groups the fields of a record by lower-case name, in the order of the files: all spellings of each, and its values.
 */
export function fieldsByName({ fields = new Map<string, Shape>() }: Shape) {
  const spellings = new Map<string, string[]>();
  for (const key of fields.keys()) {
    const known = spellings.get(key.toLowerCase());
    if (known === undefined) spellings.set(key.toLowerCase(), [key]);
    else known.push(key);
  }
  const joinedShape = (keys: readonly string[]) =>
    joinShapes(keys.flatMap((key) => fields.get(key) ?? []));
  return new Map([...spellings].map(([name, keys]) => [name, { keys, shape: joinedShape(keys) }]));
}

/** The stored form of a shape, without counts; plain values. */
export interface StoredShape {
  readonly scalars?: readonly ScalarKind[];
  /** In the order in which they were found. */
  readonly fields?: readonly (readonly [key: string, shape: StoredShape])[];
  readonly elements?: StoredShape;
  readonly hasSeveral?: true;
  readonly isPartial?: true;
}

/** Packs a shape that is within the budget. */
export function packShape(shape: Shape): StoredShape {
  const { scalars, fields, elements, hasSeveral, isPartial } = shape;
  return {
    ...(scalars.size > 0 && { scalars: [...scalars] }),
    ...(fields && { fields: [...fields].map(([key, field]) => [key, packShape(field)] as const) }),
    ...(elements && { elements: packShape(elements) }),
    ...(hasSeveral && { hasSeveral }),
    ...(isPartial && { isPartial }),
  };
}

/** Unpacks a shape: all stored fields have types. */
export function unpackShape({ scalars, fields, elements, ...flags }: StoredShape): Shape {
  return {
    ...emptyShape(),
    ...flags,
    scalars: new Set(scalars),
    fields: fields && new Map(fields.map(([key, shape]) => [key, unpackShape(shape)])),
    elements: elements && unpackShape(elements),
    isTyped: true,
  };
}
