import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { asCivil, withLet } from './date-calls.js';
import { extractPart, extractParts, noSuchPart, partWord } from './date-part.js';
import { defineFunctions, type Emitter } from './definition.js';
import { civilTime } from './zone.js';

/** DuckDB's function for a unit, and the maximum absolute amount that BigQuery allows. */
const units: Readonly<Record<string, readonly [name: string, max: number]>> = {
  MICROSECOND: ['to_microseconds', 316_224_000_000_000_000],
  MILLISECOND: ['to_milliseconds', 316_224_000_000_000],
  SECOND: ['to_seconds', 316_224_000_000],
  MINUTE: ['to_minutes', 5_270_400_000],
  HOUR: ['to_hours', 87_840_000],
  DAY: ['to_days', 3_660_000],
  WEEK: ['to_weeks', 522_857],
  MONTH: ['to_months', 120_000],
  QUARTER: ['to_quarters', 40_000],
  YEAR: ['to_years', 10_000],
};

const moments = ['TIMESTAMP, STRING?', 'DATETIME'];
const typed = (kind: string) => moments.map((args) => `${args} -> ${kind}`).join(' | ');
const extracted = ['TIMESTAMP, STRING?', 'DATETIME', 'DATE', 'TIME', 'INTERVAL'];

/**
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/interval_functions
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/date_functions#extract
 */
export const intervalFunctions = withLet(
  defineFunctions({
    $interval: ['INT64, PART -> INTERVAL', interval, Object.keys(units)],
    $extract: [
      extracted.map((args) => `PART, ${args} -> INT64`).join(' | '),
      extract,
      extractParts,
    ],
    $extract_date: [typed('DATE'), asCivil],
    $extract_datetime: [typed('DATETIME'), asCivil],
    $extract_time: [typed('TIME'), asCivil],
    justify_days: ['INTERVAL -> INTERVAL'],
    justify_hours: ['INTERVAL -> INTERVAL'],
    justify_interval: ['INTERVAL -> INTERVAL'],
    make_interval: [
      'year: INT64 = 0?, month: INT64 = 0?, day: INT64 = 0?, hour: INT64 = 0?, minute: INT64 = 0?, second: INT64 = 0? -> INTERVAL',
      makeInterval,
    ],
  }),
);

function interval(...[[amount = d.nullValue, part], node]: Parameters<Emitter>): DuckExpression {
  const word = part?.kind === 'text' ? part.value : '';
  const [name, max] = units[word] ?? ['', 0];
  const [argument] = node.args;
  const fits = argument?.kind === 'literal' && Math.abs(Number(argument.value)) <= max;
  const noun = d.text(`${word}S`.toLowerCase());
  return d.call(name, fits ? amount : d.macro('interval_field', amount, d.integer(max), noun));
}

/** `EXTRACT(part FROM value)`: the part is the first argument. */
function extract(...[args, node]: Parameters<Emitter>): DuckExpression {
  const [part, value = d.nullValue, zone] = args;
  const word = partWord(part, node, 1);
  const isInterval = node.args[1]?.type.kind === 'INTERVAL';
  if (!isInterval) return extractPart(civilTime(value, zone, node, 1), word);
  const field = intervalFields[word];
  if (field === undefined) throw noSuchPart('extract', word, 'INTERVAL', node.at);
  return field(value);
}

const months = (value: DuckExpression) => d.macro('interval_months', value);
const micros = (value: DuckExpression) => d.macro('interval_micros', value);
const below = (unit: number, next: number) => (value: DuckExpression) =>
  d.infix('%', d.infix('//', micros(value), d.integer(unit)), d.integer(next));

const intervalFields: Readonly<Record<string, (value: DuckExpression) => DuckExpression>> = {
  YEAR: (value) => d.infix('//', months(value), d.integer(12)),
  MONTH: (value) => d.infix('%', months(value), d.integer(12)),
  DAY: (value) => d.macro('interval_days', value),
  HOUR: (value) => d.infix('//', micros(value), d.integer(3_600_000_000)),
  MINUTE: below(60_000_000, 60),
  SECOND: below(1_000_000, 60),
  MILLISECOND: below(1_000, 1_000),
  MICROSECOND: below(1, 1_000_000),
};

/** MAKE_INTERVAL; a missing argument is 0, and a NULL argument makes the interval NULL. */
function makeInterval(args: readonly DuckExpression[]): DuckExpression {
  const fields = Array.from({ length: 6 }, (_, i) => args[i] ?? d.integer(0));
  return d.macro('make_interval', ...fields);
}
