import { arrayMembership } from './compare.js';
import { bound, rows } from './definition.js';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/operators#array_subscript_operator */
export const subscripts = rows({
  $offset: ['ARRAY<T>, INT64 -> T', bound('at_offset')],
  $ordinal: ['ARRAY<T>, INT64 -> T', bound('at_ordinal')],
  $safe_offset: ['ARRAY<T>, INT64 -> T', bound('safe_offset')],
  $safe_ordinal: ['ARRAY<T>, INT64 -> T', bound('safe_ordinal')],
  $json_at: ['JSON, STRING -> JSON | JSON, INT64 -> JSON', bound('json_at')],
  '$IN UNNEST': ['T, ARRAY<T> -> BOOL', arrayMembership],
});
