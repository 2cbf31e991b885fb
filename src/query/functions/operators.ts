import { call, type DuckExpression, infix, macro } from '../duck.js';
import { between, type How, rows } from './row.js';

const intervalFunctions: Readonly<Record<string, string>> = {
  MICROSECOND: 'to_microseconds',
  MILLISECOND: 'to_milliseconds',
  SECOND: 'to_seconds',
  MINUTE: 'to_minutes',
  HOUR: 'to_hours',
  DAY: 'to_days',
  WEEK: 'to_weeks',
  MONTH: 'to_months',
  QUARTER: 'to_quarters',
  YEAR: 'to_years',
};

/**
 * Operators, under names that no query can write.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/operators
 */
export const operators = rows({
  $AND: ['BOOL... -> BOOL', between('AND')],
  $OR: ['BOOL... -> BOOL', between('OR')],
  $NOT: ['BOOL -> BOOL', ([operand]) => prefix('NOT', operand)],
  '$IS TRUE': [
    'BOOL -> BOOL',
    ([a]) => call('coalesce', a ?? none, { kind: 'word', word: 'FALSE' }),
  ],
  '$IS FALSE': [
    'BOOL -> BOOL',
    ([a]) => call('coalesce', prefix('NOT', a), { kind: 'word', word: 'FALSE' }),
  ],
  '$=': ['T, T -> BOOL', between('=')],
  '$<>': ['T, T -> BOOL', between('<>')],
  '$<': ['T, T -> BOOL', between('<')],
  '$<=': ['T, T -> BOOL', between('<=')],
  '$>': ['T, T -> BOOL', between('>')],
  '$>=': ['T, T -> BOOL', between('>=')],
  '$IS DISTINCT FROM': ['T, T -> BOOL', between('IS DISTINCT FROM')],
  '$IS NOT DISTINCT FROM': ['T, T -> BOOL', between('IS NOT DISTINCT FROM')],
  $BETWEEN: [
    'T, T, T -> BOOL',
    ([a = none, low = none, high = none]) =>
      infix('AND', infix('>=', a, low), infix('<=', a, high)),
  ],
  $IN: ['T, T... -> BOOL', ([operand = none, ...values]) => ({ kind: 'in', operand, values })],
  $LIKE: ['STRING, STRING -> BOOL', like('LIKE')],
  $ILIKE: ['STRING, STRING -> BOOL', like('ILIKE')],
  '$||': [
    'STRING, STRING -> STRING | BYTES, BYTES -> BYTES | ARRAY<T>, ARRAY<T> -> ARRAY<T>',
    between('||'),
  ],
  '$+': [
    'INT64, INT64 -> INT64 | NUMERIC, NUMERIC -> NUMERIC | BIGNUMERIC, BIGNUMERIC -> BIGNUMERIC | FLOAT64, FLOAT64 -> FLOAT64 | TIMESTAMP, INTERVAL -> TIMESTAMP | DATETIME, INTERVAL -> DATETIME | DATE, INTERVAL -> DATETIME | INTERVAL, TIMESTAMP -> TIMESTAMP | INTERVAL, INTERVAL -> INTERVAL',
    between('+'),
  ],
  '$-': [
    'INT64, INT64 -> INT64 | NUMERIC, NUMERIC -> NUMERIC | BIGNUMERIC, BIGNUMERIC -> BIGNUMERIC | FLOAT64, FLOAT64 -> FLOAT64 | TIMESTAMP, INTERVAL -> TIMESTAMP | DATETIME, INTERVAL -> DATETIME | DATE, INTERVAL -> DATETIME | INTERVAL, INTERVAL -> INTERVAL',
    between('-'),
  ],
  '$*': ['INT64, INT64 -> INT64 | FLOAT64, FLOAT64 -> FLOAT64', between('*')],
  '$/': ['FLOAT64, FLOAT64 -> FLOAT64', ([a = none, b = none]) => macro('divide', a, b)],
  $negate: [
    'INT64 -> INT64 | NUMERIC -> NUMERIC | BIGNUMERIC -> BIGNUMERIC | FLOAT64 -> FLOAT64',
    ([operand]) => prefix('-', operand),
  ],
  $plus: [
    'INT64 -> INT64 | NUMERIC -> NUMERIC | FLOAT64 -> FLOAT64',
    ([operand = none]) => operand,
  ],
  $interval: ['INT64, PART -> INTERVAL', interval, Object.keys(intervalFunctions)],
});

const none: DuckExpression = { kind: 'word', word: 'NULL' };

function prefix(operator: 'NOT' | '-', operand: DuckExpression = none): DuckExpression {
  return { kind: 'prefix', operator, operand };
}

/** A backslash escapes in LIKE, and nothing does in DuckDB unless told. */
function like(operator: 'LIKE' | 'ILIKE'): How {
  const name = operator === 'LIKE' ? 'like_escape' : 'ilike_escape';
  return ([value = none, pattern = none]) => {
    const plain = pattern.kind === 'text' && !pattern.value.includes('\\');
    if (plain) return infix(operator, value, pattern);
    return call(name, value, pattern, { kind: 'text', value: '\\' });
  };
}

function interval([value = none, part]: readonly DuckExpression[]): DuckExpression {
  return call(intervalFunctions[part?.kind === 'text' ? part.value : ''] ?? '', value);
}
