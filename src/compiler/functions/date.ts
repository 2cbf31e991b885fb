import { castTo, type DuckExpression, duckNull, macro } from '../duckdb-sql/duckdb-sql.js';
import {
  asCivil,
  bucket,
  current,
  difference,
  fromParts,
  fromText,
  lastDay,
  truncate,
  withLet,
} from './date-calls.js';
import { allParts, dateParts } from './date-part.js';
import { defineFunctions } from './definition.js';
import { addInterval } from './shift.js';
import { formatTime } from './time-format.js';
import { parseTime } from './time-parse.js';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/date_functions */
export const dateFunctions = withLet(
  defineFunctions({
    current_date: ['STRING? -> DATE', current('DATE')],
    date: [
      'TIMESTAMP, STRING? -> DATE | DATETIME -> DATE | DATE -> DATE | STRING! -> DATE | INT64, INT64, INT64 -> DATE',
      fromParts('date_of', fromText('timestamp_text_to_date', asCivil('DATE'))),
    ],
    date_add: ['MOMENT, INTERVAL -> MOMENT', addInterval('+')],
    date_bucket: ['DATE, INTERVAL, DATE? -> DATE', bucket('DATE')],
    date_diff: ['MOMENT, MOMENT, PART -> INT64', difference, allParts],
    date_from_unix_date: ['INT64 -> DATE'],
    date_sub: ['MOMENT, INTERVAL -> MOMENT', addInterval('-')],
    date_trunc: [
      'DATE, PART -> DATE | DATETIME, PART -> DATETIME | TIMESTAMP, PART, STRING? -> TIMESTAMP',
      truncate,
      allParts,
    ],
    format_date: [
      'STRING, DATE -> STRING | STRING, DATETIME -> STRING | STRING, TIMESTAMP, STRING? -> STRING',
      formatTime,
    ],
    generate_date_array: ['DATE, DATE, INTERVAL? -> ARRAY<DATE>', generateDates],
    last_day: ['DATE, PART? -> DATE | DATETIME, PART? -> DATE', lastDay, dateParts],
    parse_date: ['STRING, STRING -> DATE', parseTime],
    unix_date: ['DATE -> INT64'],
  }),
);

function generateDates([start = duckNull, end = duckNull, step]: readonly DuckExpression[]) {
  const day: DuckExpression = {
    kind: 'call',
    path: ['to_days'],
    args: [{ kind: 'number', digits: '1' }],
  };
  const [a, b] = [castTo(start, 'TIMESTAMP'), castTo(end, 'TIMESTAMP')];
  return castTo(macro('series', a, b, step ?? day), 'DATE[]');
}
