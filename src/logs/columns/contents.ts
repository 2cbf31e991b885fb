import type { SourceSchema } from '../../types/schema.js';
import { planFields } from './columns.js';
import { orderLikeKnown } from './fit.js';
import {
  joinShapes,
  packShape,
  recordShape,
  type Shape,
  type StoredShape,
  unpackShape,
} from './shape.js';
import { schemaField, storedPath } from './stored-type.js';

/**
 * Returns the contents of all parts of a source: a summary of what their records contain, which decides how the records
 * are stored.
 */
export function contentsOfParts(
  source: SourceSchema,
  parts: readonly { readonly source: string; readonly contents?: StoredShape | undefined }[],
): StoredShape {
  return joinContents(parts.filter((part) => part.source === source.name));
}

/** Joins the contents of several parts of a source. */
export function joinContents(
  parts: readonly { readonly contents?: StoredShape | undefined }[],
): StoredShape {
  return packShape(joinShapes(parts.map(({ contents = {} }) => unpackShape(contents))));
}

/** The maximum number of paths in a warning. */
const maxPaths = 5;

/** Warns about the records of a source that have more fields or levels than get types. */
export function budgetWarnings({ name }: SourceSchema, contents: StoredShape): readonly string[] {
  const paths = listPartial(unpackShape(contents)).map((path) => path || 'the records');
  if (paths.length === 0) return [];
  const more = paths.length > maxPaths ? ` and ${paths.length - maxPaths} more` : '';
  const named = `${paths.slice(0, maxPaths).join(', ')}${more}`;
  return [`${name}: too many fields or levels, kept as JSON: ${named}`];
}

/**
 * Returns the schema for records with exactly these contents. Fields in `known` come first, in the same order and
 * with the same names.
 */
export function contentsSchema(
  source: SourceSchema,
  contents: StoredShape,
  known: SourceSchema,
): SourceSchema {
  const planned = planFields(source.columns, unpackShape(contents));
  return { name: source.name, columns: orderLikeKnown(planned, known.columns).map(schemaField) };
}

/** Returns the paths of records that have fields without types, because of the budget. */
export function listPartial(shape: Shape, path = ''): readonly string[] {
  const { fields = new Map<string, Shape>(), isPartial } = recordShape(shape);
  const inner = [...fields].flatMap(([key, child]) => listPartial(child, storedPath(path, key)));
  return isPartial ? [path, ...inner] : inner;
}
