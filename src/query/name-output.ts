import { QueryFault } from '../query-fault.js';
import type { BoundQuery, Column } from './bound.js';

/**
 * Gives the columns of a whole query the names of its answer: those without one are `f0_`, `f1_`
 * and so on.
 * @throws QueryFault where two columns have one name
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#select_list
 */
export function nameOutput(query: BoundQuery): BoundQuery {
  let unnamed = 0;
  const columns = query.columns.map(
    (column): Column => (column.name === '' ? { ...column, name: `f${unnamed++}_` } : column),
  );
  const seen = new Set<string>();
  for (const { name } of columns) {
    if (seen.has(name.toLowerCase())) {
      const message = `Duplicate column names in the result are not supported. Found duplicate(s): ${name}`;
      throw new QueryFault(message, query.at);
    }
    seen.add(name.toLowerCase());
  }
  return { ...query, columns };
}
