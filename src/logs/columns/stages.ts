import { quoteName } from '../../common/quote.js';
import { otherFields } from '../../types/schema.js';

/**
 * Columns to compute first, each a list of `… as "…"`; each stage uses those of the stages before. With a
 * column of its own, a record costs DuckDB no more at any depth, and is computed once: below a CASE, an
 * expression that occurs twice is evaluated twice.
 */
export type Stages = string[][];

/** Computes a value in a stage and returns the name of its column, which no field has. */
export function stage(sql: string, depth: number, stages: Stages): string {
  const columns = stages[depth] ?? [];
  stages[depth] = columns;
  const name = quoteName(`${otherFields} ${depth} ${columns.length}`);
  columns.push(`${sql} as ${name}`);
  return name;
}

/** A FROM clause with the stages after it; each has the same alias. */
export function withStages(from: string, stages: Stages, alias = ''): string {
  return stages.reduce(
    (before, columns) => `(select *, ${columns.join(', ')} from ${before})${alias}`,
    from,
  );
}
