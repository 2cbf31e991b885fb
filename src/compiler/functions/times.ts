import type * as bound from '../bound/bound.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import * as dates from './date-calls.js';
import { allParts, dateParts, timeParts } from './date-part.js';
import {
  byArgument,
  defineFunctions,
  type Emitter,
  macroWithLet,
  nativeFunction,
} from './definition.js';
import { addInterval } from './shift.js';
import { formatTime, zonedText } from './time-format.js';
import { lowerParseTime } from './time-parse.js';
import { civilTime, fromCivil } from './zone.js';

const shifts = 'DATETIME, INTERVAL -> DATETIME | TIMESTAMP, INTERVAL -> TIMESTAMP';
const instantShifts = 'TIMESTAMP, INTERVAL -> TIMESTAMP | DATETIME, INTERVAL -> DATETIME';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/date_functions */
export const dateFunctions = dates.withLet(
  defineFunctions({
    current_date: ['STRING? -> DATE', dates.current],
    date: [
      'TIMESTAMP, STRING? -> DATE | DATETIME -> DATE | DATE -> DATE | STRING! -> DATE | INT64, INT64, INT64 -> DATE',
      byArgument(
        { INT64: macroWithLet('date_of'), STRING: macroWithLet('timestamp_text_to_date') },
        dates.asCivil,
      ),
    ],
    date_add: ['MOMENT, INTERVAL -> MOMENT', addInterval('+')],
    date_bucket: ['DATE, INTERVAL, DATE? -> DATE', dates.bucket],
    date_diff: ['MOMENT, MOMENT, PART -> INT64', dates.difference, allParts],
    date_from_unix_date: ['INT64 -> DATE'],
    date_sub: ['MOMENT, INTERVAL -> MOMENT', addInterval('-')],
    date_trunc: [
      'DATE, PART -> DATE | DATETIME, PART -> DATETIME | TIMESTAMP, PART, STRING? -> TIMESTAMP',
      dates.truncate,
      allParts,
    ],
    format_date: [
      'STRING, DATE -> STRING | STRING, DATETIME -> STRING | STRING, TIMESTAMP, STRING? -> STRING',
      formatTime,
    ],
    generate_date_array: ['DATE, DATE, INTERVAL? -> ARRAY<DATE>', generateDates],
    last_day: ['DATE, PART? -> DATE | DATETIME, PART? -> DATE', dates.lastDay, dateParts],
    parse_date: ['STRING, STRING -> DATE', lowerParseTime],
    unix_date: ['DATE -> INT64'],
  }),
);

function generateDates([start = d.nullValue, end = d.nullValue, step]: readonly DuckExpression[]) {
  const [a, b] = [d.castTo(start, 'TIMESTAMP'), d.castTo(end, 'TIMESTAMP')];
  return d.castTo(d.macro('series', a, b, step ?? d.call('to_days', d.integer(1))), 'DATE[]');
}

/**
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/datetime_functions
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/time_functions
 */
export const datetimeFunctions = dates.withLet(
  defineFunctions({
    current_datetime: ['STRING? -> DATETIME', dates.current],
    datetime: [
      'TIMESTAMP, STRING? -> DATETIME | DATETIME -> DATETIME | DATE -> DATETIME | STRING! -> DATETIME | DATE, TIME -> DATETIME | INT64, INT64, INT64, INT64, INT64, INT64 -> DATETIME',
      byArgument(
        {
          INT64: macroWithLet('datetime_of'),
          STRING: macroWithLet('timestamp_text_to_datetime'),
        },
        datetime,
      ),
    ],
    datetime_add: [shifts, addInterval('+')],
    datetime_bucket: ['DATETIME, INTERVAL, DATETIME? -> DATETIME', dates.bucket],
    datetime_diff: [
      'DATETIME, DATETIME, PART -> INT64 | TIMESTAMP, TIMESTAMP, PART -> INT64',
      dates.difference,
      allParts,
    ],
    datetime_sub: [shifts, addInterval('-')],
    datetime_trunc: [
      'DATETIME, PART -> DATETIME | TIMESTAMP, PART, STRING? -> TIMESTAMP',
      dates.truncate,
      allParts,
    ],
    format_datetime: [
      'STRING, DATETIME -> STRING | STRING, TIMESTAMP, STRING? -> STRING',
      formatTime,
    ],
    parse_datetime: ['STRING, STRING -> DATETIME', lowerParseTime],

    current_time: ['STRING? -> TIME', dates.current],
    format_time: ['STRING, TIME -> STRING', formatTime],
    parse_time: ['STRING, STRING -> TIME', lowerParseTime],
    time: [
      'TIMESTAMP, STRING? -> TIME | DATETIME -> TIME | TIME -> TIME | INT64, INT64, INT64 -> TIME',
      byArgument({ INT64: macroWithLet('time_of') }, dates.asCivil),
    ],
    time_add: ['TIME, INTERVAL -> TIME', addInterval('+')],
    time_diff: ['TIME, TIME, PART -> INT64', dates.difference, timeParts],
    time_sub: ['TIME, INTERVAL -> TIME', addInterval('-')],
    time_trunc: ['TIME, PART -> TIME', dates.truncate, timeParts],
  }),
);

function datetime(args: readonly DuckExpression[], node: bound.Call): DuckExpression {
  const [date = d.nullValue, time = d.nullValue] = args;
  const isDate = node.args[0]?.type.kind === 'DATE';
  return isDate && args.length === 2 ? d.infix('+', date, time) : dates.asCivil(args, node);
}

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/timestamp_functions */
export const timestampFunctions = dates.withLet(
  defineFunctions({
    current_timestamp: ['-> TIMESTAMP', () => dates.clock],
    format_timestamp: [
      'STRING, TIMESTAMP, STRING? -> STRING | STRING, DATETIME -> STRING',
      formatTime,
    ],
    generate_timestamp_array: [
      'TIMESTAMP, TIMESTAMP, INTERVAL -> ARRAY<TIMESTAMP>',
      macroWithLet('timestamp_series'),
    ],
    parse_timestamp: ['STRING, STRING, STRING? -> TIMESTAMP', lowerParseTime],
    string: [
      'TIMESTAMP, STRING? -> STRING | DATETIME -> STRING | DATE -> STRING | TIME -> STRING | JSON -> STRING',
      string,
    ],
    timestamp: [
      'STRING, STRING? -> TIMESTAMP | DATETIME, STRING? -> TIMESTAMP | DATE, STRING? -> TIMESTAMP | TIMESTAMP -> TIMESTAMP',
      timestamp,
    ],
    timestamp_add: [instantShifts, addInterval('+')],
    timestamp_bucket: ['TIMESTAMP, INTERVAL, TIMESTAMP? -> TIMESTAMP', dates.bucket],
    timestamp_diff: [
      'TIMESTAMP, TIMESTAMP, PART -> INT64 | DATETIME, DATETIME, PART -> INT64',
      dates.difference,
      allParts,
    ],
    timestamp_micros: ['INT64 -> TIMESTAMP', fromUnix(1)],
    timestamp_millis: ['INT64 -> TIMESTAMP', fromUnix(1_000)],
    timestamp_seconds: ['INT64 -> TIMESTAMP', fromUnix(1_000_000)],
    timestamp_sub: [instantShifts, addInterval('-')],
    timestamp_trunc: [
      'TIMESTAMP, PART, STRING? -> TIMESTAMP | DATETIME, PART -> DATETIME',
      dates.truncate,
      allParts,
    ],
    unix_micros: ['TIMESTAMP -> INT64', nativeFunction('epoch_us')],
    unix_millis: ['TIMESTAMP -> INT64'],
    unix_seconds: ['TIMESTAMP -> INT64'],
  }),
);

function fromUnix(unit: number) {
  return ([value = d.nullValue]: readonly DuckExpression[]) =>
    d.macro('timestamp_from_unix', value, d.integer(unit));
}

function timestamp(...[[value = d.nullValue, zone], node]: Parameters<Emitter>): DuckExpression {
  const kind = node.args[0]?.type.kind;
  if (kind === 'TIMESTAMP') return value;
  if (kind !== 'STRING') return fromCivil(civilTime(value, zone, node), zone, node.at);
  if (zone === undefined) return d.macro('string_to_timestamp', value);
  return fromCivil(d.macro('string_without_zone', value), zone, node.at);
}

function string([value = d.nullValue, zone]: readonly DuckExpression[], node: bound.Call) {
  if (zone !== undefined) return zonedText(value, zone, node.at);
  return d.macro(`${node.args[0]?.type.kind.toLowerCase()}_to_string`, value);
}
