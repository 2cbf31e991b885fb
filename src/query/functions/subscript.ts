import { macro } from '../duck.js';
import { rows } from './row.js';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/operators#array_subscript_operator */
export const subscripts = rows({
  $offset: ['ARRAY<T>, INT64 -> T', (args) => macro('at_offset', ...args)],
  $ordinal: ['ARRAY<T>, INT64 -> T', (args) => macro('at_ordinal', ...args)],
  $safe_offset: ['ARRAY<T>, INT64 -> T', (args) => macro('safe_offset', ...args)],
  $safe_ordinal: ['ARRAY<T>, INT64 -> T', (args) => macro('safe_ordinal', ...args)],
  $json_at: ['JSON, STRING -> JSON | JSON, INT64 -> JSON', (args) => macro('json_at', ...args)],
  '$IN UNNEST': ['T, ARRAY<T> -> BOOL', (args) => macro('in_unnest', ...args)],
});
