import type * as bound from '../../compiler/bound/bound.js';
import { mapQueries } from '../../compiler/bound/map-expression.js';

/** The fields of a value that are read, by name, unless the whole value is. An array has the fields of its elements. */
export interface FieldUses {
  isWhole: boolean;
  readonly fields: Map<string, FieldUses>;
}

/** Creates the uses of a value none of whose fields is read. */
export function noUses(): FieldUses {
  return { isWhole: false, fields: new Map() };
}

/** The uses of each column of a CTE, in all reads of the CTE together. */
export function fieldUses(query: bound.Query, cte: number): readonly FieldUses[] {
  const reads: FieldUses[] = [];
  const known = new Map<number, FieldUses>();
  const inFrom = new Set<bound.Expression>();
  const addFrom = (item: bound.From) => {
    if (item.kind === 'cte' && item.cte.id === cte) {
      for (const [index, { id }] of item.columns.entries()) {
        reads[index] ??= noUses();
        known.set(id, reads[index]);
      }
    }
    if (item.kind !== 'unnest') return item;
    const array = valueUses(item.array, known);
    if (array !== undefined) {
      known.set(item.element.id, array);
      inFrom.add(item.array);
    }
    return item;
  };
  // Note the columns of FROM first, in every block, so that all columns are known before they are read.
  mapQueries(query, { from: addFrom });
  const note = (node: bound.Expression) => {
    const found = inFrom.has(node) ? undefined : valueUses(node, known);
    if (found !== undefined) found.isWhole = true;
    return inFrom.has(node) || found !== undefined ? node : undefined;
  };
  mapQueries(query, { expression: note });
  return reads;
}

/** The reads of a column, or of a column's field; undefined for any other expression. */
function valueUses(
  node: bound.Expression,
  known: ReadonlyMap<number, FieldUses>,
): FieldUses | undefined {
  if (node.kind === 'column') return known.get(node.column.id);
  if (node.kind !== 'field') return undefined;
  const of = valueUses(node.of, known);
  if (of === undefined) return undefined;
  const field = of.fields.get(node.name) ?? noUses();
  of.fields.set(node.name, field);
  return field;
}
