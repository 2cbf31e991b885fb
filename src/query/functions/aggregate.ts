import { call, castTo, type DuckExpression } from '../duck.js';
import { native, rows } from './row.js';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/aggregate_functions */
export const aggregateFunctions = rows(
  {
    $count_star: ['-> INT64', () => call('count', { kind: 'word', word: '*' })],
    any_value: ['T -> T', native('any_value')],
    avg: ['FLOAT64 -> FLOAT64', native('avg')],
    count: ['ANY -> INT64', native('count')],
    countif: [
      'BOOL -> INT64',
      ([condition]) => ({
        ...call('count', { kind: 'word', word: '*' }),
        ...(condition === undefined ? {} : { filter: condition }),
      }),
    ],
    logical_and: ['BOOL -> BOOL', native('bool_and')],
    logical_or: ['BOOL -> BOOL', native('bool_or')],
    max: ['T -> T', native('max')],
    min: ['T -> T', native('min')],
    sum: [
      'INT64 -> INT64 | FLOAT64 -> FLOAT64 | NUMERIC -> NUMERIC',
      (args, { type }) => (type.kind === 'INT64' ? castTo(sum(args), 'BIGINT') : sum(args)),
    ],
  },
  { isAggregate: true },
);

function sum(args: readonly DuckExpression[]): DuckExpression {
  return call('sum', ...args);
}
