import type { SourceSchema } from '../../types/schema.js';
import { planFields } from './columns.js';
import { inOrderOf, type Spelling } from './fit.js';
import { listLeftOut } from './left-out.js';
import { addShape, emptyShape, type Shape } from './shape.js';
import { packShape, type StoredShape, unpackShape } from './stored-shape.js';
import { schemaField } from './stored-type.js';

/** What some records hold: that of all records of a source decides how they are stored; plain values. */
export interface Holding {
  readonly shape: StoredShape;
  /** The paths of the records of which some row has several. */
  readonly lists: readonly string[];
  /** What of them has no place in a table, a line each. */
  readonly leftOut: readonly string[];
}

/** What no records hold. */
export const holdsNothing: Holding = { shape: {}, lists: [], leftOut: [] };

/** What records of a shape hold. */
export function holdingOf(
  { columns }: SourceSchema,
  shape: Shape,
  lists: readonly string[],
): Holding {
  const packed = packShape(shape, planFields(columns, shape.fields ?? new Map(), false));
  return { shape: packed, lists, leftOut: listLeftOut(shape, { path: '', declared: columns }) };
}

/** A part, as far as it tells what its records hold. */
interface HoldingPart {
  /** The name of its source. */
  readonly source: string;
  readonly holds?: Holding | undefined;
}

/** What those of some parts hold together that are of a source. */
export function holdingOfParts(source: SourceSchema, parts: readonly HoldingPart[]): Holding {
  const own = parts.filter((part) => part.source === source.name);
  return joinHoldings(
    source,
    own.map(({ holds }) => holds),
  );
}

/** What several parts of a source hold together. */
export function joinHoldings(
  source: SourceSchema,
  given: readonly (Holding | undefined)[],
): Holding {
  const holdings = given.flatMap((each) => each ?? []);
  const shape = emptyShape();
  for (const each of holdings) addShape(shape, unpackShape(each.shape));
  const lists = new Set(holdings.flatMap((each) => each.lists));
  const joined = holdingOf(source, shape, [...lists]);
  // The shapes that are kept no longer tell all of it.
  const leftOut = holdings.flatMap((each) => each.leftOut);
  return { ...joined, leftOut: [...new Set([...leftOut, ...joined.leftOut])] };
}

/**
 * How records that hold this and no more are stored. The fields are in the order of those that are
 * `known`, and under their spellings. With `first` as in a load of all files at once, of which only
 * that order may differ.
 */
export function schemaOf(
  source: SourceSchema,
  { shape, lists }: Holding,
  known: SourceSchema,
  spelling: Spelling = 'known',
): SourceSchema {
  const found = unpackShape(shape).fields ?? new Map();
  const fields = inOrderOf(planFields(source.columns, found, false), known.columns, spelling);
  const columns = fields.map((field) => schemaField(field, '', new Set(lists)));
  return { name: source.name, columns };
}
