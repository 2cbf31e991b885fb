import type { DuckExpression, DuckItem } from '../duckdb-sql/duckdb-sql.js';
import { mapChildren } from '../duckdb-sql/map-tree.js';
import { filterAs, letBe } from '../duckdb-sql/variable.js';
import type { Lowering } from './lowering.js';

/** The elements of a list that pass a test. */
export interface ListFilter {
  readonly list: DuckExpression;
  /** The name of the element in the test. */
  readonly parameter: string;
  readonly test: DuckExpression;
}

/**
 * `list_filter(list, lambda x: test)`. If list and test read several tables, some may belong to an outer
 * query, and DuckDB does not find their columns in the lambda: the columns become fields of a variable.
 * `list_filter(t.a, lambda x: x > u.b)` ->
 * `list_transform([{list: t.a, c0: u.b}], lambda v: list_filter(v.list, lambda x: x > v.c0))[1]`
 */
export function filterList(filter: ListFilter, lowering: Lowering): DuckExpression {
  const { list, test } = filter;
  const tables = new Set([...columnsIn(list), ...columnsIn(test)].map(tableOf));
  return tables.size > 1 ? filterCopies(filter, lowering) : filterAs(list, filter.parameter, test);
}

function filterCopies({ list, parameter, test }: ListFilter, lowering: Lowering): DuckExpression {
  const variable = lowering.newAlias();
  const fieldOf = (name: string): DuckExpression => {
    return { kind: 'field', of: { kind: 'name', name: variable }, name };
  };
  const copies = new Map<string, DuckItem>();
  const inner = mapColumns(test, (column) => {
    const key = JSON.stringify(column);
    const copy = copies.get(key) ?? { name: `c${copies.size}`, value: column };
    copies.set(key, copy);
    return fieldOf(copy.name);
  });
  const fields = [{ name: 'list', value: list }, ...copies.values()];
  const body = filterAs(fieldOf('list'), parameter, inner);
  return letBe({ kind: 'struct', fields }, variable, body);
}

/** The columns in a tree, and the fields of columns. */
function columnsIn(tree: DuckExpression): readonly DuckExpression[] {
  const columns: DuckExpression[] = [];
  mapColumns(tree, (column) => {
    columns.push(column);
    return column;
  });
  return columns;
}

/** Replaces each column in a tree, or field of a column. */
function mapColumns(
  tree: DuckExpression,
  replace: (column: DuckExpression) => DuckExpression,
): DuckExpression {
  const map = (node: object): object => {
    const value = node as DuckExpression;
    return tableOf(value) === undefined ? mapChildren(node, map) : replace(value);
  };
  return map(tree) as DuckExpression;
}

/** The table of a column, or of a column's field; undefined for any other node. */
function tableOf(node: DuckExpression): string | undefined {
  if (node.kind === 'field') return tableOf(node.of);
  return node.kind === 'column' ? node.table : undefined;
}
