import * as d from '../duckdb-sql/duckdb-sql.js';
import { nodeFieldPath } from '../duckdb-sql/field-path.js';
import { collectTables } from '../duckdb-sql/list-tables.js';
import { mapTree } from '../duckdb-sql/map-tree.js';
import { filterAs, letBe } from '../duckdb-sql/variable.js';
import type { Lowering } from './lowering.js';

/** The elements of a list that pass a test. */
export interface ListFilter {
  readonly list: d.DuckExpression;
  /** The name of the element in the test. */
  readonly parameter: string;
  readonly test: d.DuckExpression;
}

/**
 * `list_filter(list, lambda x: test)`. If list and test read several tables, some may belong to an outer
 * query, and DuckDB does not find their columns in the lambda: the columns become fields of a variable.
 * `list_filter(t.a, lambda x: x > u.b)` ->
 * `list_transform([{list: t.a, c0: u.b}], lambda v: list_filter(v.list, lambda x: x > v.c0))[1]`
 */
export function filterList(filter: ListFilter, lowering: Lowering): d.DuckExpression {
  const { list, parameter, test } = filter;
  if (collectTables([list, test]).size <= 1) return filterAs(list, parameter, test);
  const variable = lowering.newAlias();
  const elementField = (name: string): d.DuckExpression => {
    return { kind: 'field', of: d.variable(variable), name };
  };
  const copies = new Map<string, d.DuckItem>();
  const expression = (value: d.DuckExpression) => {
    if (nodeFieldPath(value) === undefined) return undefined;
    const key = JSON.stringify(value);
    const copy = copies.get(key) ?? { name: `c${copies.size}`, value };
    copies.set(key, copy);
    return elementField(copy.name);
  };
  const inner = mapTree(test, { expression });
  const fields = [{ name: 'list', value: list }, ...copies.values()];
  const body = filterAs(elementField('list'), parameter, inner);
  return letBe({ kind: 'struct', fields }, variable, body);
}
