import type { Type } from '../../types/types.js';
import type { BoundExpression, BoundFrom, BoundQuery, Column } from '../bound/bound.js';
import { mapQueries } from '../bound/map-expression.js';

/** A column of a table that a query reads, or a field of one at any depth. */
interface Use {
  /** The id of the column and the names of the fields below it, outermost first. */
  readonly path: readonly string[];
  readonly type: Type;
}

/** Whether a query reads wide values of a table's columns that another query does not read. */
export function readsMoreWide(
  query: BoundQuery,
  other: BoundQuery,
  columns: readonly Column[],
): boolean {
  const before = usesOf(other, columns);
  const isRead = ({ path }: Use) =>
    before.some((use) => use.path.every((name, index) => path[index] === name));
  return usesOf(query, columns).some((use) => !fixedSize.has(use.type.kind) && !isRead(use));
}

const fixedSize: ReadonlySet<string> = new Set(
  'BOOL INT64 FLOAT64 NUMERIC BIGNUMERIC DATE TIME DATETIME TIMESTAMP INTERVAL'.split(' '),
);

/** The path in the table's rows of each visible column, by the column's id. */
type Paths = Map<number, readonly string[]>;

/** The columns that a query reads; single fields where it reads no more than those. */
function usesOf(query: BoundQuery, columns: readonly Column[]): readonly Use[] {
  const paths: Paths = new Map(columns.map(({ id }) => [id, [String(id)]]));
  const elements = elementsOf(query, paths);
  const uses: Use[] = [];
  const note = (node: BoundExpression) => {
    // Whether a value is NULL is known without reading it.
    const of = node.kind === 'is-null' ? node.of : node;
    const path = pathOf(of, paths);
    if (path === undefined) return undefined;
    if (node.kind !== 'is-null' && !elements.has(node)) uses.push({ path, type: node.type });
    return node;
  };
  mapQueries(query, { expression: note });
  return uses;
}

/** The unnested records that are stored as structs; adds the paths of their elements to `paths`. */
function elementsOf(query: BoundQuery, paths: Paths): ReadonlySet<BoundExpression> {
  const arrays = new Set<BoundExpression>();
  const from = (item: BoundFrom) => {
    if (item.kind !== 'unnest') return item;
    const { type } = item.array;
    const path = pathOf(item.array, paths);
    if (path === undefined || type.kind !== 'ARRAY' || type.layout !== 'struct') return item;
    arrays.add(item.array);
    paths.set(item.element.id, path);
    return item;
  };
  mapQueries(query, { from });
  return arrays;
}

function pathOf(value: BoundExpression, paths: Paths): readonly string[] | undefined {
  if (value.kind === 'column') return paths.get(value.column.id);
  const of = value.kind === 'field' && value.stored ? pathOf(value.of, paths) : undefined;
  return of && value.kind === 'field' ? [...of, value.name] : undefined;
}
