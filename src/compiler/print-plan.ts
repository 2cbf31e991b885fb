import type { CompiledQuery, CompiledText } from './compiled-query.js';
import type { DuckPlan } from './duckdb-sql/duckdb-plan.js';
import { type DuckQuery, temporarySchema } from './duckdb-sql/duckdb-sql.js';
import { printStatement } from './duckdb-sql/print.js';
import { findReads } from './duckdb-sql/reads-of.js';

/** The options of printing a plan. */
export interface PrintOptions {
  /** The names of the endpoint's parameters. */
  readonly parameters: readonly string[];
  /**
   * The stored tables that a caller's query may read in place; undefined for a stored query. They depend
   * only on the endpoint, so that the engine's verification does not rely on how the query was compiled.
   */
  readonly inPlace: readonly string[] | undefined;
}

/** The printed statements of a plan. */
export type PrintedPlan = Omit<CompiledQuery, 'isRepeatable' | 'newest'>;

/** The last stage: prints the statements of a plan, and lists the tables and parameters that each reads. */
export function printPlan(
  { steps, answer }: DuckPlan,
  { parameters, inPlace }: PrintOptions,
): PrintedPlan {
  const tables = steps.map(({ table }) => `${temporarySchema}.${table}`);
  /** Limits a statement of the caller to the tables of earlier steps, and to the tables that are read in place. */
  const confined = (text: CompiledText, before: number): CompiledText =>
    inPlace === undefined
      ? text
      : { ...text, tables: [...tables.slice(0, before), ...inPlace].sort() };
  return {
    ...confined(printText(answer.query, parameters), steps.length),
    steps: steps.map(({ table, kind, query }, index) => {
      const text = printText(query, parameters);
      const isGather = kind !== 'search';
      return { ...(isGather ? text : confined(text, index)), table, isGather };
    }),
    readsOwnRows: inPlace !== undefined,
    columns: answer.columns.map(({ name, type }) => ({ name, type })),
  };
}

function printText(statement: DuckQuery, parameters: readonly string[]): CompiledText {
  const reads = findReads(statement);
  return {
    sql: printStatement(statement),
    tables: [...reads.tables].sort(),
    parameters: parameters.filter((name) => reads.parameters.has(`p_${name}`)),
    readsClock: reads.parameters.has('now'),
  };
}
