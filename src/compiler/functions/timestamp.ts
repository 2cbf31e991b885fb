import type { BoundCall } from '../bound/bound.js';
import { call, type DuckExpression, duckNull, integer, macro } from '../duckdb-sql/duckdb-sql.js';
import { bucket, clock, difference, truncate, withLet } from './date-calls.js';
import { allParts } from './date-part.js';
import { defineFunctions } from './definition.js';
import { addInterval } from './shift.js';
import { formatTime, zonedText } from './time-format.js';
import { parseTime } from './time-parse.js';
import { civilOf, fromCivil } from './zone.js';

const shifts = 'TIMESTAMP, INTERVAL -> TIMESTAMP | DATETIME, INTERVAL -> DATETIME';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/timestamp_functions */
export const timestampFunctions = withLet(
  defineFunctions({
    current_timestamp: ['-> TIMESTAMP', () => clock],
    format_timestamp: [
      'STRING, TIMESTAMP, STRING? -> STRING | STRING, DATETIME -> STRING',
      formatTime,
    ],
    generate_timestamp_array: [
      'TIMESTAMP, TIMESTAMP, INTERVAL -> ARRAY<TIMESTAMP>',
      ([start = duckNull, end = duckNull, step = duckNull]) =>
        macro('timestamp_series', start, end, step),
    ],
    parse_timestamp: ['STRING, STRING, STRING? -> TIMESTAMP', parseTime],
    string: [
      'TIMESTAMP, STRING? -> STRING | DATETIME -> STRING | DATE -> STRING | TIME -> STRING | JSON -> STRING',
      string,
    ],
    timestamp: [
      'STRING, STRING? -> TIMESTAMP | DATETIME, STRING? -> TIMESTAMP | DATE, STRING? -> TIMESTAMP | TIMESTAMP -> TIMESTAMP',
      timestamp,
    ],
    timestamp_add: [shifts, addInterval('+')],
    timestamp_bucket: ['TIMESTAMP, INTERVAL, TIMESTAMP? -> TIMESTAMP', bucket('TIMESTAMPTZ')],
    timestamp_diff: [
      'TIMESTAMP, TIMESTAMP, PART -> INT64 | DATETIME, DATETIME, PART -> INT64',
      difference,
      allParts,
    ],
    timestamp_micros: ['INT64 -> TIMESTAMP', fromUnix(1)],
    timestamp_millis: ['INT64 -> TIMESTAMP', fromUnix(1_000)],
    timestamp_seconds: ['INT64 -> TIMESTAMP', fromUnix(1_000_000)],
    timestamp_sub: [shifts, addInterval('-')],
    timestamp_trunc: [
      'TIMESTAMP, PART, STRING? -> TIMESTAMP | DATETIME, PART -> DATETIME',
      truncate,
      allParts,
    ],
    unix_micros: ['TIMESTAMP -> INT64', ([x = duckNull]) => call('epoch_us', x)],
    unix_millis: ['TIMESTAMP -> INT64'],
    unix_seconds: ['TIMESTAMP -> INT64'],
  }),
);

function fromUnix(unit: number) {
  return ([value = duckNull]: readonly DuckExpression[]) =>
    macro('timestamp_from_unix', value, integer(unit));
}

function timestamp(
  [value = duckNull, zone]: readonly DuckExpression[],
  node: BoundCall,
): DuckExpression {
  const kind = node.args[0]?.type.kind;
  if (kind === 'TIMESTAMP') return value;
  if (kind !== 'STRING') return fromCivil(civilOf(value, zone, node), zone, node.at);
  if (zone === undefined) return macro('string_to_timestamp', value);
  return fromCivil(macro('string_without_zone', value), zone, node.at);
}

function string([value = duckNull, zone]: readonly DuckExpression[], node: BoundCall) {
  const kind = node.args[0]?.type.kind ?? '';
  if (kind !== 'TIMESTAMP') return macro(`${kind.toLowerCase()}_to_string`, value);
  return zone === undefined ? macro('timestamp_to_string', value) : zonedText(value, zone, node.at);
}
