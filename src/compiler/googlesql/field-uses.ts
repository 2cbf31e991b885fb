import type * as bound from '../bound/bound.js';
import { mapQueries } from '../bound/map-expression.js';

/** The fields of a value that are read, by name, or the whole value. An array has the fields of its elements. */
export type FieldUses = ReadonlyMap<string, FieldUses> | typeof whole;

/** The mark of a value that is read as a whole. */
export const whole = 'whole';

/** A {@link FieldUses} that grows. */
interface Reads {
  isWhole: boolean;
  readonly fields: Map<string, Reads>;
}

/** The uses of each column of a CTE, in all reads of the CTE together. */
export function fieldUses(query: bound.Query, cte: number): readonly FieldUses[] {
  const reads: Reads[] = [];
  const known = new Map<number, Reads>();
  const inFrom = new Set<bound.Expression>();
  const addFrom = (item: bound.From) => {
    if (item.kind === 'cte' && item.cte.id === cte) {
      for (const [index, { id }] of item.columns.entries()) {
        reads[index] ??= newReads();
        known.set(id, reads[index]);
      }
    }
    if (item.kind !== 'unnest') return item;
    const array = readsOf(item.array, known);
    if (array !== undefined) {
      known.set(item.element.id, array);
      inFrom.add(item.array);
    }
    return item;
  };
  // Note the columns of FROM first, in every block, so that all columns are known before they are read.
  mapQueries(query, { from: addFrom });
  const note = (node: bound.Expression) => {
    const found = inFrom.has(node) ? undefined : readsOf(node, known);
    if (found !== undefined) found.isWhole = true;
    return inFrom.has(node) || found !== undefined ? node : undefined;
  };
  mapQueries(query, { expression: note });
  return reads.map(usesOf);
}

function newReads(): Reads {
  return { isWhole: false, fields: new Map() };
}

/** The reads of a column, or of a column's field; undefined for any other expression. */
function readsOf(node: bound.Expression, known: ReadonlyMap<number, Reads>): Reads | undefined {
  if (node.kind === 'column') return known.get(node.column.id);
  if (node.kind !== 'field') return undefined;
  const of = readsOf(node.of, known);
  if (of === undefined) return undefined;
  const field = of.fields.get(node.name) ?? newReads();
  of.fields.set(node.name, field);
  return field;
}

function usesOf({ isWhole, fields }: Reads): FieldUses {
  if (isWhole) return whole;
  return new Map([...fields].map(([name, reads]) => [name, usesOf(reads)]));
}
