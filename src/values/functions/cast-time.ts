import { type FormatPiece, parseCastFormat } from '../cast-time-format.js';
import { formatReadings, monthNames, type Reading } from '../cast-time-reading.js';
import { remember } from './script-function.js';

const formatPieces = remember((key) => {
  const [kind, format] = JSON.parse(key) as [string, string];
  return parseCastFormat(format, kind);
});

/** A civil time. */
interface Civil {
  readonly date: Date;
  /** The fraction of the second. */
  readonly micros: number;
  /** The number of minutes that the zone is ahead of UTC. */
  readonly offset: number;
}

const secondMicros = 1_000_000n;

/**
 * Prints a time of a type in a format; the civil time and its offset are in microseconds.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/format-elements
 */
export function castTime(kind: string, civil: string, offset: string, format: string): string {
  const micros = ((BigInt(civil) % secondMicros) + secondMicros) % secondMicros;
  const seconds = (BigInt(civil) - micros) / secondMicros;
  const time: Civil = {
    date: new Date(Number(seconds) * 1000),
    micros: Number(micros),
    offset: Number(offset) / 60_000_000,
  };
  const pieces = formatPieces(JSON.stringify([kind, format]));
  return pieces.map((piece) => printPiece(piece, time)).join('');
}

function printPiece(piece: FormatPiece, time: Civil): string {
  if (piece.kind !== 'element') return piece.text;
  const printed = elements[piece.text]?.(time) ?? fraction(time, Number(piece.text.at(-1)));
  if (piece.letters === 'first') return printed;
  return piece.letters === 'upper' ? printed.toUpperCase() : printed.toLowerCase();
}

type Print = (time: Civil) => string;

const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

const digits = (value: number, count: number) => String(value).padStart(count, '0');
const last = (value: number, count: number) => digits(value % 10 ** count, count);
const year = ({ date }: Civil) => date.getUTCFullYear();
const hour12: Print = ({ date }) => digits(((date.getUTCHours() + 11) % 12) + 1, 2);
const half = ({ date }: Civil) => (date.getUTCHours() < 12 ? 'A' : 'P');
const day = ({ date }: Civil) => days[date.getUTCDay()] ?? '';
const month = ({ date }: Civil) => {
  const name = monthNames[date.getUTCMonth()] ?? '';
  return name.charAt(0).toUpperCase() + name.slice(1);
};
const fullYear: Print = (time) => digits(year(time), 4);
const meridian: Print = (time) => `${half(time)}M`;
const dotted: Print = (time) => `${half(time)}.M.`;

const elements: Readonly<Record<string, Print>> = {
  'A.M.': dotted,
  AM: meridian,
  D: ({ date }) => String(date.getUTCDay() + 1),
  DAY: day,
  DD: ({ date }) => digits(date.getUTCDate(), 2),
  DDD: (time) => digits(dayOfYear(time), 3),
  DY: (time) => day(time).slice(0, 3),
  HH: hour12,
  HH12: hour12,
  HH24: ({ date }) => digits(date.getUTCHours(), 2),
  MI: ({ date }) => digits(date.getUTCMinutes(), 2),
  MM: ({ date }) => digits(date.getUTCMonth() + 1, 2),
  MON: (time) => month(time).slice(0, 3),
  MONTH: month,
  'P.M.': dotted,
  PM: meridian,
  RR: (time) => last(year(time), 2),
  RRRR: fullYear,
  SS: ({ date }) => digits(date.getUTCSeconds(), 2),
  SSSSS: ({ date }) =>
    digits((date.getUTCHours() * 60 + date.getUTCMinutes()) * 60 + date.getUTCSeconds(), 5),
  TZH: ({ offset }) => (offset < 0 ? '-' : '+') + digits(Math.trunc(Math.abs(offset) / 60), 2),
  TZM: ({ offset }) => digits(Math.trunc(Math.abs(offset)) % 60, 2),
  Y: (time) => last(year(time), 1),
  YY: (time) => last(year(time), 2),
  YYY: (time) => last(year(time), 3),
  YYYY: fullYear,
};

const dayMillis = 86_400_000;

function dayOfYear({ date }: Civil): number {
  const start = new Date(date);
  start.setUTCMonth(0, 1);
  return Math.round((date.getTime() - start.getTime()) / dayMillis) + 1;
}

/** `FF3`: the fraction of the second, truncated, not rounded. */
function fraction({ micros }: Civil, count: number): string {
  return digits(micros, 6).padEnd(count, '0').slice(0, count);
}

/** Finds a part at this position of a string; undefined if it does not match. */
type Find = (text: string, from: number) => string | undefined;

interface Finder {
  readonly find: Find;
  readonly field?: string;
}

const formatFinders = remember((key): readonly Finder[] => {
  const [kind, format] = JSON.parse(key) as [string, string];
  const readings = formatReadings(format, kind);
  const finders = readings.map(readingFinder);
  // Blanks around the text are ignored; a blank of the format already reads all that are there.
  const first = readings[0]?.kind === 'blank' ? [] : [anyBlanks];
  return [...first, ...finders, anyBlanks];
});

function readingFinder(reading: Reading): Finder {
  if (reading.kind === 'text') {
    const { text: wanted } = reading;
    return { find: (text, from) => (text.startsWith(wanted, from) ? wanted : undefined) };
  }
  if (reading.kind === 'blank') return { find: matchAt(blanks) };
  return { find: matchAt(reading.form), field: reading.field };
}

const blanks = '[\\t\\n\\f\\r ]+';
const anyBlanks: Finder = { find: matchAt(`(?:${blanks})?`) };

function matchAt(source: string): Find {
  const form = new RegExp(source, 'iy');
  return (text, from) => {
    form.lastIndex = from;
    return form.exec(text)?.[0];
  };
}

/**
 * The parts `year|month|day|hour|minute|second|fraction|zone`; an empty string if the text does not have the format. A
 * single pass without backtracking, so that no input takes long.
 */
export function castTimeParts(kind: string, text: string, format: string): string {
  const fields: Record<string, string> = {};
  let from = 0;
  for (const { find, field } of formatFinders(JSON.stringify([kind, format]))) {
    const found = find(text, from);
    if (found === undefined) return '';
    if (field !== undefined) fields[field] = found;
    from += found.length;
  }
  return from === text.length ? joinParts(fields) : '';
}

/** The strings of fields, by their names. */
type Fields = Readonly<Record<string, string>>;

function joinParts(fields: Fields): string {
  const { d = '', mi = '', s = '', f = '', zone = '' } = fields;
  return [yearDigits(fields), monthDigits(fields), d, hourDigits(fields), mi, s, f, zone].join('|');
}

function yearDigits({ y = '', cy, rr }: Fields): string {
  if (cy !== undefined) return String(2000 + Number(cy));
  return rr === undefined ? y : String((Number(rr) < 50 ? 2000 : 1900) + Number(rr));
}

function monthDigits({ mo = '', monthname }: Fields): string {
  if (monthname === undefined) return mo;
  return String(monthNames.findIndex((name) => name.startsWith(monthname.toLowerCase())) + 1);
}

/** An hour beyond the clock is passed on, and refused like 25. */
function hourDigits({ h = '', hour12: hour, meridian: letters = '' }: Fields): string {
  if (hour === undefined) return h;
  const isValid = Number(hour) >= 1 && Number(hour) <= 12;
  return isValid ? String((Number(hour) % 12) + (/^p/i.test(letters) ? 12 : 0)) : '99';
}
