import type { CompiledQuery, CompiledText } from './compiled-query.js';
import type { DuckPlan } from './duckdb-sql/duckdb-plan.js';
import { type DuckQuery, temporarySchema } from './duckdb-sql/duckdb-sql.js';
import { print } from './duckdb-sql/print.js';
import { readsOf } from './duckdb-sql/reads-of.js';

/** What a printed query needs to know besides its plan. */
export interface PrintOptions {
  /** The names of the endpoint's parameters. */
  readonly parameters: readonly string[];
  /**
   * The stored tables that a caller's query may read in place; undefined for a stored query. They depend
   * only on the endpoint, so that the engine's verification does not rely on how the text was compiled.
   */
  readonly inPlace: readonly string[] | undefined;
}

/** The texts of a plan. */
export type PrintedPlan = Omit<CompiledQuery, 'isRepeatable' | 'newest'>;

/** The last stage: a plan -> its statements as text, and what each of them reads. */
export function printPlan(
  { steps, answer }: DuckPlan,
  { parameters, inPlace }: PrintOptions,
): PrintedPlan {
  const tables = steps.map(({ table }) => `${temporarySchema}.${table}`);
  /** A statement of the caller may read the tables of earlier steps, and what is read in place. */
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
  const reads = readsOf(statement);
  return {
    sql: print(statement),
    tables: [...reads.tables].sort(),
    parameters: parameters.filter((name) => reads.parameters.has(`p_${name}`)),
    readsClock: reads.parameters.has('now'),
  };
}
