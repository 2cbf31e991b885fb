import type { BoundCall } from '../bound/bound.js';
import {
  call,
  castTo,
  type DuckExpression,
  duckNull,
  infix,
  macro,
} from '../duckdb-sql/duckdb-sql.js';
import {
  asCivil,
  bucket,
  current,
  difference,
  fromParts,
  fromText,
  truncate,
  withLet,
} from './date-calls.js';
import { allParts, timeParts } from './date-part.js';
import { defineFunctions } from './definition.js';
import { addInterval } from './shift.js';
import { formatTime } from './time-format.js';
import { parseTime } from './time-parse.js';

const shifts = 'DATETIME, INTERVAL -> DATETIME | TIMESTAMP, INTERVAL -> TIMESTAMP';

/**
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/datetime_functions
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/time_functions
 */
export const datetimeFunctions = withLet(
  defineFunctions({
    current_datetime: ['STRING? -> DATETIME', current('TIMESTAMP')],
    datetime: [
      'TIMESTAMP, STRING? -> DATETIME | DATETIME -> DATETIME | DATE -> DATETIME | STRING! -> DATETIME | DATE, TIME -> DATETIME | INT64, INT64, INT64, INT64, INT64, INT64 -> DATETIME',
      fromText('timestamp_text_to_datetime', datetime),
    ],
    datetime_add: [shifts, addInterval('+')],
    datetime_bucket: ['DATETIME, INTERVAL, DATETIME? -> DATETIME', bucket('TIMESTAMP')],
    datetime_diff: [
      'DATETIME, DATETIME, PART -> INT64 | TIMESTAMP, TIMESTAMP, PART -> INT64',
      difference,
      allParts,
    ],
    datetime_sub: [shifts, addInterval('-')],
    datetime_trunc: [
      'DATETIME, PART -> DATETIME | TIMESTAMP, PART, STRING? -> TIMESTAMP',
      truncate,
      allParts,
    ],
    format_datetime: [
      'STRING, DATETIME -> STRING | STRING, TIMESTAMP, STRING? -> STRING',
      formatTime,
    ],
    parse_datetime: ['STRING, STRING -> DATETIME', parseTime],

    current_time: ['STRING? -> TIME', current('TIME')],
    format_time: ['STRING, TIME -> STRING', formatTime],
    parse_time: ['STRING, STRING -> TIME', parseTime],
    time: [
      'TIMESTAMP, STRING? -> TIME | DATETIME -> TIME | TIME -> TIME | INT64, INT64, INT64 -> TIME',
      fromParts('time_of', asCivil('TIME')),
    ],
    time_add: ['TIME, INTERVAL -> TIME', addInterval('+')],
    time_diff: ['TIME, TIME, PART -> INT64', difference, timeParts],
    time_sub: ['TIME, INTERVAL -> TIME', addInterval('-')],
    time_trunc: ['TIME, PART -> TIME', truncate, timeParts],
  }),
);

function datetime(args: readonly DuckExpression[], node: BoundCall): DuckExpression {
  const [first = duckNull, second = duckNull, third = duckNull, ...clock] = args;
  const isDate = node.args[0]?.type.kind === 'DATE';
  if (isDate && args.length === 2) return infix('+', first, second);
  if (args.length < 6) return asCivil('TIMESTAMP')(args, node);
  const day = castTo(macro('date_of', first, second, third), 'TIMESTAMP');
  const micros = call('epoch_us', macro('time_of', ...clock));
  return infix('+', day, call('to_microseconds', micros));
}
