import type { SourceSchema } from '../../types/schema.js';
import { planFields } from './columns.js';
import { inOrderOf } from './fit.js';
import { addShape, emptyShape, recordShape, type Shape } from './shape.js';
import { packShape, type StoredShape, unpackShape } from './stored-shape.js';
import { schemaField, storedPath } from './stored-type.js';

/**
 * A summary of what some records contain, as plain values. The contents of all records of a source
 * decide how they are stored.
 */
export interface Contents {
  readonly shape: StoredShape;
  /** The paths of records that occur more than once in some row. */
  readonly lists: readonly string[];
}

/** The contents of no records. */
export const noContents: Contents = { shape: {}, lists: [] };

/** Returns the contents of all parts of a source. */
export function contentsOfParts(
  source: SourceSchema,
  parts: readonly { readonly source: string; readonly contents?: Contents | undefined }[],
): Contents {
  const own = parts.filter((part) => part.source === source.name);
  return joinContents(own.map(({ contents }) => contents));
}

/** Joins the contents of several parts of a source. */
export function joinContents(contents: readonly (Contents | undefined)[]): Contents {
  const all = contents.flatMap((each) => each ?? []);
  const shape = emptyShape();
  for (const each of all) addShape(shape, unpackShape(each.shape));
  const lists = new Set(all.flatMap((each) => each.lists));
  return { shape: packShape(shape), lists: [...lists] };
}

/** The maximum number of paths in a warning. */
const maxPaths = 5;

/** Warns about the records of a source that have more fields or levels than get types. */
export function budgetWarnings({ name }: SourceSchema, { shape }: Contents): readonly string[] {
  const paths = listPartial(unpackShape(shape)).map((path) => path || 'the records');
  if (paths.length === 0) return [];
  const more = paths.length > maxPaths ? ` and ${paths.length - maxPaths} more` : '';
  const named = `${paths.slice(0, maxPaths).join(', ')}${more}`;
  return [`${name}: too many fields or levels, kept as JSON: ${named}`];
}

/**
 * Returns the schema for records with exactly these contents. Fields in `known` come first, in the same order and
 * with the same names.
 */
export function schemaOf(
  source: SourceSchema,
  { shape, lists }: Contents,
  known: SourceSchema,
): SourceSchema {
  const planned = planFields(source.columns, unpackShape(shape));
  const fields = inOrderOf(planned, known.columns);
  const columns = fields.map((field) => schemaField(field, '', new Set(lists)));
  return { name: source.name, columns };
}

/** Returns the paths of records that have fields without types, because of the budget. */
export function listPartial(shape: Shape, path = ''): readonly string[] {
  const { fields = new Map<string, Shape>(), isPartial } = recordShape(shape);
  const inner = [...fields].flatMap(([key, child]) => listPartial(child, storedPath(path, key)));
  return isPartial ? [path, ...inner] : inner;
}
