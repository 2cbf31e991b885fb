import { choose, nullValue } from '../duckdb-sql/duckdb-sql.js';
import { unlessPlanned } from '../duckdb-sql/may-fail.js';
import { nullIf } from './compare.js';
import { defineFunctions, nativeFunction } from './definition.js';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/conditional_expressions */
export const conditionalFunctions = defineFunctions({
  coalesce: ['T, T... -> T', nativeFunction('coalesce')],
  if: [
    'BOOL, T, T -> T',
    ([when = nullValue, result = nullValue, otherwise = nullValue]) =>
      choose(unlessPlanned(when), result, otherwise),
  ],
  ifnull: ['T, T -> T', nativeFunction('coalesce')],
  nullif: ['T, T -> T', nullIf],
});
