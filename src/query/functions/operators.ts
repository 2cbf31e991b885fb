import { once } from '../bind-once.js';
import { call, type DuckExpression, infix } from '../duck.js';
import { betweenBounds, equality, inequality, membership } from './compare.js';
import { decimal } from './decimal.js';
import { between, bound, type How, rows } from './row.js';

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
  '$=': ['T, T -> BOOL', equality('=')],
  '$<>': ['T, T -> BOOL', equality('<>')],
  '$<': ['T, T -> BOOL', inequality('<')],
  '$<=': ['T, T -> BOOL', inequality('<=')],
  '$>': ['T, T -> BOOL', inequality('>')],
  '$>=': ['T, T -> BOOL', inequality('>=')],
  '$IS DISTINCT FROM': ['T, T -> BOOL', between('IS DISTINCT FROM')],
  '$IS NOT DISTINCT FROM': ['T, T -> BOOL', between('IS NOT DISTINCT FROM')],
  $BETWEEN: ['T, T, T -> BOOL', betweenBounds],
  $IN: ['T, T... -> BOOL', membership],
  $LIKE: ['STRING, STRING -> BOOL', like('LIKE')],
  $ILIKE: ['STRING, STRING -> BOOL', like('ILIKE')],
  '$LIKE ANY': ['STRING, ARRAY<STRING> -> BOOL', likeSome('LIKE', 'OR')],
  '$LIKE ALL': ['STRING, ARRAY<STRING> -> BOOL', likeSome('LIKE', 'AND')],
  '$ILIKE ANY': ['STRING, ARRAY<STRING> -> BOOL', likeSome('ILIKE', 'OR')],
  '$ILIKE ALL': ['STRING, ARRAY<STRING> -> BOOL', likeSome('ILIKE', 'AND')],
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
  '$*': [
    'INT64, INT64 -> INT64 | NUMERIC, NUMERIC -> NUMERIC | BIGNUMERIC, BIGNUMERIC -> BIGNUMERIC | FLOAT64, FLOAT64 -> FLOAT64',
    decimal('multiply', between('*')),
  ],
  '$/': [
    'INT64, INT64 -> FLOAT64 | NUMERIC, NUMERIC -> NUMERIC | BIGNUMERIC, BIGNUMERIC -> BIGNUMERIC | FLOAT64, FLOAT64 -> FLOAT64',
    decimal('divide', bound('divide')),
  ],
  $negate: [
    'INT64 -> INT64 | NUMERIC -> NUMERIC | BIGNUMERIC -> BIGNUMERIC | FLOAT64 -> FLOAT64',
    ([operand]) => prefix('-', operand),
  ],
  $plus: [
    'INT64 -> INT64 | NUMERIC -> NUMERIC | BIGNUMERIC -> BIGNUMERIC | FLOAT64 -> FLOAT64',
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

/** The value beside each pattern of the list that the parser made. */
function likeSome(operator: 'LIKE' | 'ILIKE', joined: 'AND' | 'OR'): How {
  return ([value = none, list = none], node, clauses) => {
    const array = list.kind === 'cast' ? list.of : list;
    const patterns = array.kind === 'list' ? array.elements : [];
    return once([value], ([one = none]) => {
      const tests = patterns.map((pattern) => like(operator)([one, pattern], node, clauses));
      return infix(joined, ...tests);
    });
  };
}
