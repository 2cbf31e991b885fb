import {
  type FormatPiece,
  type Letters,
  parseCastFormat,
  refuseForeign,
} from '../../values/cast-time-format.js';
import { type Reading, readingsOf } from '../../values/cast-time-reading.js';
import type * as bound from '../bound/bound.js';
import { constantText } from '../bound/constant-text.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { letOnce } from '../duckdb-sql/let.js';
import { faultsAt } from './format-faults.js';
import { joinTimes } from './join-times.js';
import { exactForm, type Matcher, parseWith } from './time-parse.js';
import { civilOf } from './zone.js';

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
    const civil = civilOf(value, zone, node);
    if (typeof known === 'string') return printKnown(known, { kind, civil, value }, node);
    return letOnce([civil], ([shown = d.nullValue]) => {
      const micros = d.call('epoch_us', shown);
      const offset =
        kind === 'TIMESTAMP' ? d.infix('-', micros, d.call('epoch_us', value)) : d.integer(0);
      const texts = [micros, offset, format].map((one) => d.castTo(one, 'VARCHAR'));
      return d.call('js_cast_time', d.text(kind), ...texts);
    });
  });
}

interface Time {
  readonly kind: string;
  readonly civil: DuckExpression;
  readonly value: DuckExpression;
}

function printKnown(
  format: string,
  { kind, civil, value }: Time,
  node: bound.Call,
): DuckExpression {
  const pieces = faultsAt(node.at, () => {
    const parsed = parseCastFormat(format);
    refuseForeign(parsed, kind);
    return parsed;
  });
  const printed = pieces.map((piece) => printPiece(piece, civil, value));
  return joinTimes(printed, value);
}

/** The elements that DuckDB's strftime prints like BigQuery. */
const strftime: Readonly<Record<string, string>> = {
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
  d.call('replace', d.call('strftime', civil, d.text('%p')), d.text('M'), d.text('.M.'));
const zoneOffset = (civil: DuckExpression, instant: DuckExpression) =>
  d.macro(
    'offset_text',
    d.infix('-', d.call('epoch_us', civil), d.call('epoch_us', instant)),
    d.text(''),
  );

type Print = (civil: DuckExpression, instant: DuckExpression) => DuckExpression;

const others: Readonly<Record<string, Print>> = {
  'A.M.': meridian,
  D: (civil) => d.castTo(d.infix('+', part('dow', civil), d.integer(1)), 'VARCHAR'),
  'P.M.': meridian,
  SSSSS: (civil) =>
    digits(
      d.infix(
        '//',
        d.macro('positive_mod', d.call('epoch_us', civil), d.integer(86_400_000_000)),
        d.integer(1_000_000),
      ),
      5,
    ),
  TZH: (civil, instant) => d.call('left', zoneOffset(civil, instant), d.integer(3)),
  TZM: (civil, instant) => d.call('right', zoneOffset(civil, instant), d.integer(2)),
  Y: (civil) => digits(d.infix('%', part('year', civil), d.integer(10)), 1),
  YYY: (civil) => digits(d.infix('%', part('year', civil), d.integer(1000)), 3),
};

function printPiece(
  piece: FormatPiece,
  civil: DuckExpression,
  instant: DuckExpression,
): DuckExpression {
  if (piece.kind !== 'element') return d.text(piece.text);
  const format = strftime[piece.text];
  const own = others[piece.text] ?? fraction(Number(piece.text.at(-1)));
  const printed =
    format === undefined ? own(civil, instant) : d.call('strftime', civil, d.text(format));
  return /^(?:MON|DAY|DY|[AP]\.?M)/.test(piece.text) ? cased(printed, piece.letters) : printed;
}

/** `FF3`: the fraction of the second, truncated, not rounded. */
function fraction(count: number): Print {
  return (civil) =>
    d.call('rpad', d.call('strftime', civil, d.text('%f')), d.integer(count), d.text('0'));
}

function cased(value: DuckExpression, letters: Letters): DuckExpression {
  return letters === 'first' ? value : d.call(letters, value);
}

/**
 * `CAST(text AS TIMESTAMP FORMAT 'YYYY-MM-DD' [AT TIME ZONE zone])`: the compiler translates the
 * format into a regular expression. If the compiler does not know the format, a JavaScript function finds
 * the parts.
 * @throws QueryFault if the format is invalid or cannot be used for parsing
 */
export function castFromText(args: readonly DuckExpression[], node: bound.Call): DuckExpression {
  const [value = d.nullValue, format = d.nullValue, zone] = args;
  const source = d.castTo(value, 'VARCHAR');
  const more = zone === undefined ? [] : [zone];
  const known = constantText(node.args[1]);
  if (typeof known === 'string') {
    const readings = faultsAt(node.at, () => readingsOf(known, node.type.kind));
    return parseWith(readings.map(matcherOf), [source, ...more], node);
  }
  return letOnce([source, d.castTo(format, 'VARCHAR')], ([one = source, each = format]) => {
    const parts = d.call('js_cast_time_parts', d.text(node.type.kind), one, each);
    const read = d.choose(d.isNull(each), d.castTo(d.nullValue, 'VARCHAR'), one);
    return parseWith(partMatchers, [read, ...more], node, parts);
  });
}

/** The parts of a time as the JavaScript function writes them: `2026|3|10|15|4|5||+05:30`. */
const partMatchers: readonly Matcher[] = (
  ['y', 'mo', 'd', 'h', 'mi', 's', 'f', 'zone'] as const
).map((field, index) => ({ form: `${index === 0 ? '' : exactForm('|')}#[^|]*)`, fields: [field] }));

function matcherOf(reading: Reading): Matcher {
  if (reading.kind === 'blank') return { form: '\\s+', fields: [] };
  if (reading.kind === 'text') return { form: exactForm(reading.text), fields: [] };
  return { form: `#(?i:${reading.form}))`, fields: [reading.field] };
}
