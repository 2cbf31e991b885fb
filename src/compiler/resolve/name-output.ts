import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import type { Type } from '../../types/types.js';
import type { BoundQuery, Column } from '../bound/bound.js';

/**
 * Names the columns of a statement's result: unnamed ones become `f0_`, `f1_` and so on, and the second
 * and third of a name `a` become `a_1` and `a_2`.
 * @throws QueryFault if two fields of a record have one name, `resourcesExceeded` if records nest too deeply
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#duplicate_aliases
 */
export function nameOutput(query: BoundQuery): BoundQuery {
  let unnamed = 0;
  const named = query.columns.map(({ name }) => name || `f${unnamed++}_`);
  const names = uniqueNames(named);
  const columns = query.columns.map((column, index): Column => {
    const name = names[index] ?? column.name;
    return name === column.name ? column : { ...column, name };
  });
  for (const { type } of columns) refuseDuplicates(type, query.at);
  const depth = Math.max(...columns.map(({ type }) => depthOf(type)));
  if (depth > maxRecordDepth) throw tooDeep(query.at);
  return { ...query, columns };
}

/** A name that another column has as it is written is not given to a renamed one. */
function uniqueNames(names: readonly string[]): readonly string[] {
  const written = new Set(names.map((name) => name.toLowerCase()));
  const used = new Set<string>();
  // The next suffix to try for each name: starting at 1 each time would be quadratic.
  const nextSuffix = new Map<string, number>();
  return names.map((name) => {
    const key = name.toLowerCase();
    let unique = name;
    if (used.has(key)) {
      let n = nextSuffix.get(key) ?? 1;
      do unique = `${name}_${n++}`;
      while (written.has(unique.toLowerCase()) || used.has(unique.toLowerCase()));
      nextSuffix.set(key, n);
    }
    used.add(unique.toLowerCase());
    return unique;
  });
}

/**
 * The maximum nesting of records in a result.
 * @see https://cloud.google.com/bigquery/docs/nested-repeated#limitations
 */
const maxRecordDepth = 15;

function depthOf(type: Type): number {
  if (type.kind === 'ARRAY') return depthOf(type.element);
  if (type.kind !== 'STRUCT') return 0;
  return 1 + Math.max(0, ...type.fields.map((field) => depthOf(field.type)));
}

function tooDeep(at: number): QueryFault {
  const message = `Records in the result are nested deeper than ${maxRecordDepth} levels`;
  return new QueryFault(message, at, 'resourcesExceeded');
}

/** Refuses fields of one record that share a name. */
function refuseDuplicates(type: Type, at: number): void {
  if (type.kind === 'ARRAY') refuseDuplicates(type.element, at);
  const seen = new Set<string>();
  for (const { name, type: inner } of type.kind === 'STRUCT' ? type.fields : []) {
    const key = name.toLowerCase();
    if (key !== '' && seen.has(key)) {
      const message = `Duplicate field names in a record of the result are not supported. Found duplicate(s): ${shortName(name)}`;
      throw new QueryFault(message, at);
    }
    seen.add(key);
    refuseDuplicates(inner, at);
  }
}
