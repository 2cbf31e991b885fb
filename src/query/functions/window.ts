import { aggregate, rows } from './row.js';

/**
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/numbering_functions
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/navigation_functions
 */
export const windowFunctions = rows(
  {
    cume_dist: ['-> FLOAT64', aggregate('cume_dist')],
    dense_rank: ['-> INT64', aggregate('dense_rank')],
    first_value: ['T -> T', aggregate('first_value')],
    lag: ['T, INT64?, T? -> T', aggregate('lag')],
    last_value: ['T -> T', aggregate('last_value')],
    lead: ['T, INT64?, T? -> T', aggregate('lead')],
    nth_value: ['T, INT64 -> T', aggregate('nth_value')],
    ntile: ['INT64 -> INT64', aggregate('ntile')],
    percent_rank: ['-> FLOAT64', aggregate('percent_rank')],
    rank: ['-> INT64', aggregate('rank')],
    row_number: ['-> INT64', aggregate('row_number')],
  },
  { kind: 'window' },
);
