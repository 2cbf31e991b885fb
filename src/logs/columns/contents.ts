import type { SourceSchema } from '../../types/schema.js';
import { planFields } from './columns.js';
import { inOrderOf } from './fit.js';
import { listLeftOut } from './left-out.js';
import { addShape, emptyShape, type Shape } from './shape.js';
import { packShape, type StoredShape, unpackShape } from './stored-shape.js';
import { schemaField } from './stored-type.js';

/**
 * A summary of what some records contain, as plain values. The contents of all records of a source
 * decide how they are stored.
 */
export interface Contents {
  readonly shape: StoredShape;
  /** The paths of records that occur more than once in some row. */
  readonly lists: readonly string[];
  /** Descriptions of the values that cannot be stored in a table, one line each. */
  readonly leftOut: readonly string[];
}

/** The contents of no records. */
export const noContents: Contents = { shape: {}, lists: [], leftOut: [] };

/** The contents of records of a given shape. */
export function contentsOf(
  { columns }: SourceSchema,
  shape: Shape,
  lists: readonly string[],
): Contents {
  const packed = packShape(shape, planFields(columns, shape.fields ?? new Map()));
  return { shape: packed, lists, leftOut: listLeftOut(shape, { path: '', declared: columns }) };
}

/** The fields of a part that describe its contents. */
interface PartWithContents {
  /** The name of its source. */
  readonly source: string;
  readonly contents?: Contents | undefined;
}

/** The contents of all parts of a source. */
export function contentsOfParts(
  source: SourceSchema,
  parts: readonly PartWithContents[],
): Contents {
  const own = parts.filter((part) => part.source === source.name);
  return joinContents(
    source,
    own.map(({ contents }) => contents),
  );
}

/** Joins the contents of several parts of a source. */
export function joinContents(
  source: SourceSchema,
  contents: readonly (Contents | undefined)[],
): Contents {
  const all = contents.flatMap((each) => each ?? []);
  const shape = emptyShape();
  for (const each of all) addShape(shape, unpackShape(each.shape));
  const lists = new Set(all.flatMap((each) => each.lists));
  const joined = contentsOf(source, shape, [...lists]);
  // Packed shapes no longer contain everything that was left out.
  const leftOut = all.flatMap((each) => each.leftOut);
  return { ...joined, leftOut: [...new Set([...leftOut, ...joined.leftOut])] };
}

/**
 * The schema in which records with exactly these contents are stored. Fields that are in `known` come
 * first, in the same order and with the same names.
 */
export function schemaOf(
  source: SourceSchema,
  { shape, lists }: Contents,
  known: SourceSchema,
): SourceSchema {
  const found = unpackShape(shape).fields ?? new Map();
  const fields = inOrderOf(planFields(source.columns, found), known.columns);
  const columns = fields.map((field) => schemaField(field, '', new Set(lists)));
  return { name: source.name, columns };
}
