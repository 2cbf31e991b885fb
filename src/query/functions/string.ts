import { between, native, rows } from './row.js';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions */
export const stringFunctions = rows({
  concat: ['STRING, STRING... -> STRING', between('||')],
  ends_with: ['STRING, STRING -> BOOL', native('ends_with')],
  length: ['STRING -> INT64', native('length')],
  lower: ['STRING -> STRING', native('lower')],
  regexp_contains: ['STRING, STRING -> BOOL', native('regexp_matches')],
  replace: ['STRING, STRING, STRING -> STRING'],
  starts_with: ['STRING, STRING -> BOOL', native('starts_with')],
  strpos: ['STRING, STRING -> INT64', native('strpos')],
  upper: ['STRING -> STRING', native('upper')],
});
