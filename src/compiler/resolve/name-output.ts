import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import type { Type } from '../../types/types.js';
import type * as bound from '../bound/bound.js';

/**
 * Names the columns of a statement's result: unnamed ones become `f0_`, `f1_` and so on, and duplicates of `a` become
 * `a_1`,
 * `a_2` and so on, skipping names that are taken.
 * @throws QueryFault if two fields of a record have the same name, `resourcesExceeded` if records nest too deeply
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#select_list
 */
export function nameOutput(query: bound.Query): bound.Query {
  let unnamed = 0;
  const named = query.columns.map(
    (column): bound.Column => (column.name === '' ? { ...column, name: `f${unnamed++}_` } : column),
  );
  const columns = withUniqueNames(named);
  for (const { type } of columns) refuseDuplicates(type, query.at);
  const depth = Math.max(...columns.map(({ type }) => structDepth(type)));
  if (depth <= maxRecordDepth) return { ...query, columns };
  const message = `Records in the result are nested deeper than ${maxRecordDepth} levels`;
  throw new QueryFault(message, query.at, 'resourcesExceeded');
}

/**
 * The maximum nesting of records in a result.
 * @see https://cloud.google.com/bigquery/docs/nested-repeated#limitations
 */
const maxRecordDepth = 15;

function structDepth(type: Type): number {
  if (type.kind === 'ARRAY') return structDepth(type.element);
  if (type.kind !== 'STRUCT') return 0;
  return 1 + Math.max(0, ...type.fields.map((field) => structDepth(field.type)));
}

function withUniqueNames(columns: readonly bound.Column[]): readonly bound.Column[] {
  const taken = new Set(columns.map(({ name }) => name.toLowerCase()));
  const counts = new Map<string, number>();
  return columns.map((column) => {
    const key = column.name.toLowerCase();
    let count = counts.get(key);
    let { name } = column;
    while (count !== undefined && taken.has(name.toLowerCase())) name = `${column.name}_${++count}`;
    counts.set(key, count ?? 0);
    taken.add(name.toLowerCase());
    return { ...column, name };
  });
}

/** Refuses fields of one record that share a name. */
function refuseDuplicates(type: Type, at: number): void {
  const inner = type.kind === 'ARRAY' ? type.element : type;
  const seen = new Set<string>();
  for (const { name, type: own } of inner.kind === 'STRUCT' ? inner.fields : []) {
    const key = name.toLowerCase();
    if (key !== '' && seen.has(key)) {
      const message = `Duplicate column names in the result are not supported. Found duplicate(s): ${shortName(name)}`;
      throw new QueryFault(message, at);
    }
    seen.add(key);
    refuseDuplicates(own, at);
  }
}
