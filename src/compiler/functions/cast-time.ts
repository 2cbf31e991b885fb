import { type FormatPiece, parseCastFormat } from '../../values/cast-time-format.js';
import { formatReadings, type Reading } from '../../values/cast-time-reading.js';
import type * as bound from '../bound/bound.js';
import { constantText } from '../bound/constant-text.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { letOnce } from '../duckdb-sql/let.js';
import { asVarchar } from './definition.js';
import { faultsAt } from './format-faults.js';
import { joinTimes, strftime } from './time-format.js';
import { exactForm, type Matcher, parseWith } from './time-parse.js';
import { civilTime } from './zone.js';

/**
 * `CAST(t AS STRING FORMAT 'YYYY-MM-DD' [AT TIME ZONE zone])`. A format that the compiler does not know
 * is parsed for each row.
 * @throws QueryFault if the format has an unknown element, or one that the type does not have
 */
export function castToText(args: readonly DuckExpression[], node: bound.Call): DuckExpression {
  const [time = d.nullValue, format = d.nullValue, zone] = args;
  const kind = node.args[0]?.type.kind ?? '';
  const known = constantText(node.args[1]);
  return letOnce([time], ([value = d.nullValue]) => {
    const civil = civilTime(value, zone, node);
    if (typeof known === 'string') {
      const pieces = faultsAt(node.at, () => parseCastFormat(known, kind));
      const printed = pieces.map((piece) => printPiece(piece, civil, value));
      return joinTimes(printed, value);
    }
    return letOnce([civil], ([shown = d.nullValue]) => {
      const micros = d.call('epoch_us', shown);
      const offset =
        kind === 'TIMESTAMP' ? d.infix('-', micros, d.call('epoch_us', value)) : d.integer(0);
      const texts = [micros, offset, format].map((one) => d.castTo(one, 'VARCHAR'));
      return d.call('js_cast_time', d.text(kind), ...texts);
    });
  });
}

/** The elements that DuckDB's strftime prints like BigQuery. */
const formats: Readonly<Record<string, string>> = {
  AM: '%p',
  DAY: '%A',
  DD: '%d',
  DDD: '%j',
  DY: '%a',
  HH: '%I',
  HH12: '%I',
  HH24: '%H',
  MI: '%M',
  MM: '%m',
  MON: '%b',
  MONTH: '%B',
  PM: '%p',
  RR: '%y',
  RRRR: '%Y',
  SS: '%S',
  YY: '%y',
  YYYY: '%Y',
};

const part = (name: string, civil: DuckExpression) => d.call('date_part', d.text(name), civil);
const digits = (value: DuckExpression, count: number) =>
  d.call('lpad', d.castTo(value, 'VARCHAR'), d.integer(count), d.text('0'));
const meridian = (civil: DuckExpression) =>
  d.call('replace', strftime(civil, '%p'), d.text('M'), d.text('.M.'));
type Print = (civil: DuckExpression, instant: DuckExpression) => DuckExpression;

const zoneOffset: Print = (civil, instant) => {
  const micros = d.infix('-', d.call('epoch_us', civil), d.call('epoch_us', instant));
  return d.macro('offset_text', micros, d.text(''));
};

const secondOfDay: Print = (civil) => {
  const micros = d.macro('positive_mod', d.call('epoch_us', civil), d.integer(86_400_000_000));
  return digits(d.infix('//', micros, d.integer(1_000_000)), 5);
};

const others: Readonly<Record<string, Print>> = {
  'A.M.': meridian,
  D: (civil) => d.castTo(d.infix('+', part('dow', civil), d.integer(1)), 'VARCHAR'),
  'P.M.': meridian,
  SSSSS: secondOfDay,
  TZH: (civil, instant) => d.call('left', zoneOffset(civil, instant), d.integer(3)),
  TZM: (civil, instant) => d.call('right', zoneOffset(civil, instant), d.integer(2)),
  Y: (civil) => digits(d.infix('%', part('year', civil), d.integer(10)), 1),
  YYY: (civil) => digits(d.infix('%', part('year', civil), d.integer(1000)), 3),
};

function printPiece(piece: FormatPiece, civil: DuckExpression, instant: DuckExpression) {
  if (piece.kind !== 'element') return d.text(piece.text);
  const format = formats[piece.text];
  const own = others[piece.text] ?? fraction(Number(piece.text.at(-1)));
  const printed = format === undefined ? own(civil, instant) : strftime(civil, format);
  const isCased = /^(?:MON|DAY|DY|[AP]\.?M)/.test(piece.text) && piece.letters !== 'first';
  return isCased ? d.call(piece.letters, printed) : printed;
}

/** `FF3`: the fraction of the second, truncated, not rounded. */
function fraction(count: number): Print {
  return (civil) => d.call('rpad', strftime(civil, '%f'), d.integer(count), d.text('0'));
}

/**
 * `CAST(text AS TIMESTAMP FORMAT 'YYYY-MM-DD' [AT TIME ZONE zone])`: the compiler translates the
 * format into a regular expression. If the compiler does not know the format, a JavaScript function finds
 * the parts.
 * @throws QueryFault if the format is invalid or cannot be used for parsing
 */
export function castFromText(args: readonly DuckExpression[], node: bound.Call): DuckExpression {
  const [value, format, ...zone] = args;
  const source = asVarchar(value);
  const known = constantText(node.args[1]);
  if (typeof known === 'string') {
    const readings = faultsAt(node.at, () => formatReadings(known, node.type.kind));
    return parseWith(readings.map(readingMatcher), [source, ...zone], node);
  }
  return letOnce([source, asVarchar(format)], ([one = source, each = d.nullValue]) => {
    const parts = d.call('js_cast_time_parts', d.text(node.type.kind), one, each);
    const read = d.choose(d.isNull(each), asVarchar(), one);
    return parseWith(partMatchers, [read, ...zone], node, parts);
  });
}

/** The parts of a time as the JavaScript function writes them: `2026|3|10|15|4|5||+05:30`. */
const partMatchers: readonly Matcher[] = (
  ['y', 'mo', 'd', 'h', 'mi', 's', 'f', 'zone'] as const
).map((field, index) => ({ form: `${index === 0 ? '' : exactForm('|')}#[^|]*)`, fields: [field] }));

function readingMatcher(reading: Reading): Matcher {
  if (reading.kind === 'blank') return { form: '\\s+', fields: [] };
  if (reading.kind === 'text') return { form: exactForm(reading.text), fields: [] };
  return { form: `#(?i:${reading.form}))`, fields: [reading.field] };
}
