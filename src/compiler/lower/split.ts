import type { BoundCte, BoundQuery } from '../bound/bound.js';
import type { DuckQuery } from '../duckdb-sql/duckdb-sql.js';
import { gather } from './gather.js';
import { lateFetch } from './late-fetch.js';
import { lowerOver } from './lower-over.js';
import type { SplitOptions, TableStep } from './table-step.js';

/** A caller's query in two: the tables that are gathered for it, and itself over those alone. */
export interface Split {
  readonly steps: readonly TableStep[];
  readonly answer: DuckQuery;
}

/**
 * Splits a caller's query at the wall. No expression of the caller's is evaluated where rows of
 * others are, so no statistics, dictionary or pushed-down filter can tell anything of those.
 */
export function split(query: BoundQuery, options: SplitOptions): Split {
  const { maxRows, known } = options;
  const whole = lowerOver(query, tableOf, { maxRows, known });
  const gathers = [...whole.reads].map(([cte, reads]) => {
    const table = tableOf(cte);
    return { cte, reads, table, columns: whole.tables.get(table) ?? [] };
  });
  const [only, ...others] = gathers;
  const late = only && others.length === 0 ? lateFetch(query, only, options) : undefined;
  const steps = gathers.map(({ table, columns, ...gathering }): TableStep => {
    return { table, query: gather(gathering, columns, options), isGather: true };
  });
  return { steps: late ?? steps, answer: whole.query };
}

function tableOf({ name }: BoundCte): string {
  return `gathered/${name}`;
}
