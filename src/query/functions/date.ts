import {
  call,
  castTo,
  type DuckExpression,
  duckNull,
  infix,
  integer,
  macro,
  text,
} from '../duck.js';
import { between, type How, rows } from './row.js';

/** Parts of one length in UTC, in microseconds: cut by arithmetic, which reads no calendar. */
const lengths: Readonly<Record<string, number>> = {
  MICROSECOND: 1,
  MILLISECOND: 1_000,
  SECOND: 1_000_000,
  MINUTE: 60_000_000,
  HOUR: 3_600_000_000,
  DAY: 86_400_000_000,
};

const calendarParts: Readonly<Record<string, string>> = {
  ISOWEEK: 'week',
  MONTH: 'month',
  QUARTER: 'quarter',
  YEAR: 'year',
};

const truncParts = [...Object.keys(lengths), ...Object.keys(calendarParts), 'WEEK'];

const clock: DuckExpression = castTo({ kind: 'parameter', name: 'now' }, 'TIMESTAMPTZ');

/**
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/timestamp_functions
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/datetime_functions
 */
export const dateFunctions = rows({
  current_timestamp: ['-> TIMESTAMP', () => clock],
  current_datetime: ['-> DATETIME', () => call('timezone', text('UTC'), clock)],
  current_date: ['-> DATE', () => castTo(call('timezone', text('UTC'), clock), 'DATE')],
  date: [
    'TIMESTAMP -> DATE | DATETIME -> DATE',
    ([x = duckNull], { args }) => castTo(civil(x, args), 'DATE'),
  ],
  datetime: [
    'TIMESTAMP -> DATETIME | DATETIME -> DATETIME',
    ([x = duckNull], { args }) => civil(x, args),
  ],
  datetime_trunc: ['DATETIME, PART -> DATETIME', truncated, truncParts],
  timestamp_add: ['TIMESTAMP, INTERVAL -> TIMESTAMP', between('+')],
  timestamp_micros: ['INT64 -> TIMESTAMP', ([x = duckNull]) => call('make_timestamptz', x)],
  timestamp_sub: ['TIMESTAMP, INTERVAL -> TIMESTAMP', between('-')],
  timestamp_trunc: [
    'TIMESTAMP, PART -> TIMESTAMP | DATETIME, PART -> DATETIME',
    truncated,
    truncParts,
  ],
  unix_micros: ['TIMESTAMP -> INT64', ([x = duckNull]) => call('epoch_us', x)],
});

function civil(value: DuckExpression, args: Parameters<How>[1]['args']): DuckExpression {
  return args[0]?.type.kind === 'TIMESTAMP' ? call('timezone', text('UTC'), value) : value;
}

/** `timestamp_trunc(t, hour)`; WEEK begins on Sunday. */
function truncated(
  [value = duckNull, part]: readonly DuckExpression[],
  { args }: Parameters<How>[1],
) {
  const word = part?.kind === 'text' ? part.value : '';
  const suffix = args[0]?.type.kind === 'TIMESTAMP' ? 'timestamp' : 'datetime';
  const length = lengths[word];
  if (length !== undefined) return macro(`${suffix}_floor`, value, integer(length));
  const calendar = calendarParts[word];
  if (calendar !== undefined) return call('date_trunc', text(calendar), value);
  const day = call('to_days', integer(1));
  return infix('-', call('date_trunc', text('week'), infix('+', value, day)), day);
}
