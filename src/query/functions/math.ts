import { native, rows } from './row.js';

const alike = (name: string) => [`INT64 -> INT64 | FLOAT64 -> FLOAT64`, native(name)] as const;

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/mathematical_functions */
export const mathFunctions = rows({
  abs: alike('abs'),
  div: ['INT64, INT64 -> INT64'],
  mod: ['INT64, INT64 -> INT64'],
  safe_divide: ['FLOAT64, FLOAT64 -> FLOAT64'],
});
