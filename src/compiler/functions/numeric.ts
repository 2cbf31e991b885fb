import { defineFunctions } from './definition.js';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/conversion_functions#parse_numeric */
export const numericFunctions = defineFunctions({
  parse_bignumeric: ['STRING -> BIGNUMERIC'],
  parse_numeric: ['STRING -> NUMERIC'],
});
