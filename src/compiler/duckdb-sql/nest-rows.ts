import * as d from './duckdb-sql.js';
import { nodeFieldPath } from './field-path.js';
import { type DuckMapper, mapChildren, mapTree } from './map-tree.js';

/** The parts of a block to move into a sub-select of its rows. */
export interface Split {
  /** The alias of the sub-select. */
  readonly alias: string;
  /** FROM, or the side of a join, that the sub-select reads. */
  readonly side: d.DuckFrom | undefined;
  /** The tables whose columns the sub-select returns, by their aliases. */
  readonly own: ReadonlySet<string>;
  readonly where: readonly d.DuckExpression[];
  /** Values that the block reads as columns of the sub-select. */
  readonly items: readonly d.DuckItem[];
}

interface Options {
  readonly countWritten?: (parts: number) => void;
  readonly changeRows?: (rows: d.QueryOfBlock) => d.QueryOfBlock;
}

/**
 * Moves the rows of a block, or of a side of its join, into a sub-select, which returns every column that the block
 * reads.
 * `select t.a + 1 from t where c` -> `select s.c1 + 1 from (select t.a as c1 from t where c) s`, and
 * `select t.a from (t join u on k) left join v on c` ->
 * `select s.c1 from (select t.a as c1 from t join u on k) s left join v on c`
 */
export function nestRows(
  query: d.QueryOfBlock,
  { alias, side, own, where, items }: Split,
  { countWritten = () => {}, changeRows = (rows) => rows }: Options = {},
): d.QueryOfBlock {
  const columns = new Map<string, d.DuckItem>();
  const read: DuckMapper = {
    from: (node) => (node === side ? node : undefined),
    expression: (value) => {
      if (!own.has(nodeFieldPath(value)?.table ?? '')) return undefined;
      const key = JSON.stringify(value);
      const item = columns.get(key) ?? { name: `c${columns.size + 1}`, value };
      columns.set(key, item);
      return d.column(alias, item.name);
    },
  };
  const { body, orderBy } = mapChildren({ body: query.body, orderBy: query.orderBy }, read);
  countWritten(columns.size);
  const rows = changeRows(d.selectFrom([...columns.values(), ...items], side, { where }));
  const derived: d.DuckFrom = { kind: 'derived', query: rows, alias };
  const wrap: DuckMapper = { from: (node) => (node === side ? derived : undefined) };
  const from = body.from === undefined ? derived : mapTree(body.from, wrap);
  return { ...query, body: { ...body, from }, orderBy };
}
