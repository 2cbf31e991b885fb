import type { Logs } from './logs.js';

/** A value of an answer, as it stands in the JSON of a row. */
export type Value = string | number | boolean | null | readonly Value[] | Row;

/** A row of an answer, with its columns in order. */
export interface Row {
  readonly [column: string]: Value;
}

/** A question that somebody has about the logs of a project, answered twice. */
export interface Question {
  /** In plain English. */
  readonly ask: string;
  /** As an analyst would write it, over the tables of `logs.all`. */
  readonly sql: string;
  /** The same rows, computed from the records without SQL. */
  readonly answer: (logs: Logs) => readonly Row[];
  /** Set where the question leaves the order of the rows open. */
  readonly anyOrder?: true;
  /** Set where sums of FLOAT64 depend on the order of the rows: numbers may differ by 1e-9 of their size. */
  readonly inexact?: true;
}
