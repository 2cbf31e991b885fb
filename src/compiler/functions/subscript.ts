import { arrayMembership } from './compare.js';
import { defineFunctions, macroWithLet } from './definition.js';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/operators#array_subscript_operator */
export const subscripts = defineFunctions({
  $offset: ['ARRAY<T>, INT64 -> T', macroWithLet('at_offset')],
  $ordinal: ['ARRAY<T>, INT64 -> T', macroWithLet('at_ordinal')],
  $safe_offset: ['ARRAY<T>, INT64 -> T', macroWithLet('safe_offset')],
  $safe_ordinal: ['ARRAY<T>, INT64 -> T', macroWithLet('safe_ordinal')],
  $json_at: ['JSON, STRING -> JSON | JSON, INT64 -> JSON', macroWithLet('json_at')],
  '$IN UNNEST': ['T, ARRAY<T> -> BOOL', arrayMembership],
});
