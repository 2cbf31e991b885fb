import { QueryFault } from '../../errors/query-fault.js';
import type * as bound from '../bound/bound.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { duckType, typedNull } from '../duckdb-sql/duckdb-type.js';
import { duckList, letBe } from '../duckdb-sql/variable.js';
import { isForeign, literalFormat, type Piece, parseTimeFormat } from './time-format.js';
import { fromCivil } from './zone.js';

/**
 * `PARSE_TIMESTAMP('%F', text[, zone])`, `PARSE_DATE` and so on: the compiler translates the format
 * into a regular expression whose groups are the parts of the time.
 * @throws QueryFault if the format is not a literal, or has an element that the type does not have
 */
export function lowerParseTime(args: readonly DuckExpression[], node: bound.Call): DuckExpression {
  const kind = node.type.kind;
  const format = literalFormat(node);
  if (format === undefined) return typedNull(node.type);
  const pieces = parseTimeFormat(format, kind, node.at);
  const matchers = pieces.map((piece, index) => pieceMatcher(piece, { pieces, index }, node));
  return parseWith(matchers, args.slice(1), node);
}

/**
 * Parses the first argument with matchers, in the zone of the optional second argument.
 * @param matched the string that the matchers read; by default, the first argument
 */
export function parseWith(
  matchers: readonly Matcher[],
  [value = d.nullValue, zone]: readonly DuckExpression[],
  node: bound.Call,
  matched: DuckExpression = value,
): DuckExpression {
  const civil = (name: string, ...more: readonly DuckExpression[]) =>
    withParts(matched, matchers, (parts, isPlain) =>
      d.macro(isPlain ? 'parsed_plain' : name, value, parts, ...more),
    );
  if (node.type.kind !== 'TIMESTAMP') {
    return d.castTo(civil('parsed_datetime'), duckType(node.type));
  }
  const has = (field: TimeField) => matchers.some(({ fields }) => fields.includes(field));
  if (has('zone')) return civil('parsed_timestamp', zone ?? d.text('UTC'));
  return fromCivil(civil('parsed_datetime'), has('epoch') ? undefined : zone, node.at);
}

/** The regular expression of a piece of the format; each `#` opens the group of a field. */
export interface Matcher {
  readonly form: string;
  readonly fields: readonly TimeField[];
}

/**
 * Passes the match to `use` as a struct of all fields, or of the plain ones; absent fields are empty. `found` is the
 * whole match, and so is `late` if {@link fieldPrecedence} says that the year is late.
 */
function withParts(
  value: DuckExpression,
  matchers: readonly Matcher[],
  use: (parts: DuckExpression, isPlain: boolean) => DuckExpression,
): DuckExpression {
  const order = matchers.flatMap((matcher) => matcher.fields);
  const { counts, isLateYear } = fieldPrecedence(order);
  const names: string[] = isLateYear ? ['found', 'late'] : ['found'];
  let index = 0;
  const forms = matchers.map(({ form }) =>
    form.replaceAll('#', () => {
      const field = order[index];
      index += 1;
      if (field === undefined || !counts[index - 1]) return '(?:';
      names.push(field);
      return '(';
    }),
  );
  const isPlain = names.every((name) => name === 'found' || plainFields.includes(name));
  const absent = (isPlain ? plainFields : ['late', ...fields]).filter(
    (field) => !names.includes(field),
  );
  const found = `(\\s*${forms.join('')}\\s*)`;
  const pattern = `^${isLateYear ? `(${found})` : found}$${'()'.repeat(absent.length)}`;
  const list = duckList(...[...names, ...absent].map(d.text));
  const match = d.call('regexp_extract', value, d.text(pattern), list);
  return letBe(match, 'parts', use({ kind: 'name', name: 'parts' }, isPlain));
}

const offset = String.raw`[-+](?:(?:0\d|1[0-3])(?::?[0-5]\d)?|14(?::?00)?)`;
const monthEnds: NameEnds = {
  ...{ jan: 'uary', feb: 'ruary', mar: 'ch', apr: 'il', may: '', jun: 'e', jul: 'y', aug: 'ust' },
  ...{ sep: 'tember', oct: 'ober', nov: 'ember', dec: 'ember' },
};
const weekdayEnds: NameEnds = {
  ...{ sun: 'day', mon: 'day', tue: 'sday', wed: 'nesday', thu: 'rsday', fri: 'day', sat: 'urday' },
};

const one = (form: string, field: TimeField): Matcher => ({ form, fields: [field] });

const elementMatchers: Readonly<Record<string, Matcher>> = {
  E4Y: one(String.raw`#\d{4})`, 'y'),
  Ez: one(`#${offset}|Z)`, 'zone'),
  Q: one('#[1-4])', 'quarter'),
  Z: one(String.raw`#[A-Za-z+-][\w/+:-]+)`, 'zone'),
  p: one('#(?i:am|pm))', 'meridian'),
  u: one('#[1-7])', 'weekday'),
  w: one('#[0-6])', 'weekday'),
  z: one(`#${offset.replaceAll(':?', '')})`, 'zone'),
};

/** An element that is a number of up to `most` digits. */
interface Digits {
  readonly field: TimeField;
  readonly most: number;
  /** The pattern if a digit follows; by default, `most` digits. A number may end before it gets too large. */
  readonly full?: string;
  /** Whether blanks may precede it. */
  readonly isPadded?: true;
  readonly hasSign?: true;
}

const weekDigits = String.raw`(?:[0-5]\d|[6-9])`;

const elementDigits: Readonly<Record<string, Digits>> = {
  C: { field: 'century', most: 2 },
  G: { field: 'isoyear', most: 20 },
  H: { field: 'h', most: 2 },
  I: { field: 'hour12', most: 2, isPadded: true },
  J: { field: 'isoday', most: 3 },
  M: { field: 'mi', most: 2 },
  S: { field: 's', most: 2 },
  U: { field: 'sundays', most: 2, full: weekDigits },
  V: { field: 'isoweek', most: 2 },
  W: { field: 'mondays', most: 2, full: weekDigits },
  Y: { field: 'y', most: 5 },
  d: { field: 'd', most: 2 },
  e: { field: 'd', most: 2, full: String.raw`(?:[0-3]\d|[4-9])`, isPadded: true },
  g: { field: 'isoyy', most: 2 },
  j: { field: 'doy', most: 3, full: String.raw`(?:[0-2]\d\d|3[0-6]\d|3[7-9]|[4-9]\d)` },
  k: { field: 'h', most: 2, full: String.raw`(?:[0-2]\d|[3-9])`, isPadded: true },
  l: { field: 'hour12', most: 2, isPadded: true },
  m: { field: 'mo', most: 2 },
  s: { field: 'epoch', most: 12, hasSign: true },
  y: { field: 'yy', most: 2 },
};

/** A place in a format. */
interface Place {
  readonly pieces: readonly Piece[];
  readonly index: number;
}

/** The ends of names, by their first three letters. */
type NameEnds = Readonly<Record<string, string>>;

const nameSets: Readonly<Record<string, { readonly field: TimeField; readonly ends: NameEnds }>> = {
  A: { field: 'weekday', ends: weekdayEnds },
  B: { field: 'monthname', ends: monthEnds },
  a: { field: 'weekday', ends: weekdayEnds },
  b: { field: 'monthname', ends: monthEnds },
};

/** Matches the longest name: before a literal `uary`, January cannot be abbreviated. */
function longestName(ends: NameEnds, { pieces, index }: Place): string {
  const next = pieces[index + 1];
  const after = next !== undefined && 'text' in next ? next.text.toLowerCase() : '';
  const names = Object.entries(ends).map(([start, end]) => {
    return after.startsWith(end) ? `${start}${end}` : `${start}(?:${end})?`;
  });
  return `#(?i:${names.join('|')}))`;
}

function pieceMatcher(piece: Piece, place: Place, node: bound.Call): Matcher {
  if ('text' in piece) return { form: literalForm(piece.text), fields: [] };
  const { element } = piece;
  const kind = node.type.kind;
  if (isForeign(element, kind)) {
    const message = `Invalid format: %${element} is not allowed for the ${kind} type.`;
    throw new QueryFault(message, node.at);
  }
  const digits = elementDigits[element];
  if (digits !== undefined) return numberMatcher(mostDigits(digits, place), place);
  const name = nameSets[element];
  if (name !== undefined) return one(longestName(name.ends, place), name.field);
  const matcher = elementMatchers[element] ?? secondsMatcher(element, place);
  if (matcher !== undefined) return matcher;
  const hint = element === 'P' ? ': use %p' : '';
  throw new QueryFault(`Format element %${element} is not supported when parsing${hint}`, node.at);
}

/** A year right before another element has at most four digits, for formats such as '%Y%m%d'. */
function mostDigits(digits: Digits, { pieces, index }: Place): Digits {
  const next = pieces[index + 1];
  const isYear = digits.field === 'y' && next !== undefined;
  return isYear && ('element' in next || next.isEscape) ? { ...digits, most: 4 } : digits;
}

/** Matches as many digits as possible: if another digit may follow, a number has `most` digits. */
function numberMatcher({ field, most, full, isPadded, hasSign }: Digits, place?: Place): Matcher {
  const follows = place === undefined ? 'never' : digitAfter(place);
  const all = full ?? `\\d{${most}}`;
  const number = {
    never: `\\d{1,${most}}`,
    spaced: `(?:${all}|\\d{1,${most - 1}}\\s)`,
    adjacent: all,
  }[follows];
  return one(`${isPadded ? '\\s*' : ''}#${hasSign ? '-?' : ''}${number})`, field);
}

/** Elements outside `elementDigits` that begin with a digit: seconds, and those with a fixed number of digits. */
const beginsWithDigit = /^(?:E[\d*]S|E4Y|[Quw])$/;

/** Whether a digit may follow a number, directly or after a blank. */
function digitAfter({ pieces, index }: Place): 'never' | 'spaced' | 'adjacent' {
  let at = index + 1;
  while (isBlank(pieces[at])) at += 1;
  const next = pieces[at];
  if (next === undefined) return 'never';
  const isText = 'text' in next;
  const digits = isText ? undefined : elementDigits[next.element];
  const isDigit = isText ? /^\s*\d/.test(next.text) : beginsWithDigit.test(next.element);
  if (digits === undefined && !isDigit) return 'never';
  const isSpaced = at > index + 1 || digits?.isPadded === true || (isText && /^\s/.test(next.text));
  return isSpaced ? 'spaced' : 'adjacent';
}

function isBlank(piece: Piece | undefined): boolean {
  return piece !== undefined && 'text' in piece && piece.text.trim() === '';
}

/** The maximum number of digits in a fraction of a second. */
const maxFraction = 6;

/** `%E3S` and `%E*S`: seconds with an optional fraction. */
function secondsMatcher(element: string, place: Place): Matcher | undefined {
  const digits = /^E([\d*])S$/.exec(element)?.[1];
  if (digits === undefined || Number(digits) > maxFraction) return undefined;
  const seconds = numberMatcher({ field: 's', most: 2 }, place);
  if (digits === '0') return seconds;
  const isAdjacent = digitAfter(place) === 'adjacent';
  // No digit can follow a fraction that takes all digits.
  if (isAdjacent && digits === '*') return seconds;
  const count = digits === '*' ? '+' : `{${isAdjacent ? digits : `1,${digits}`}}`;
  const { form } = isAdjacent ? seconds : numberMatcher({ field: 's', most: 2 });
  return { form: `${form}(?:\\.#\\d${count}))?`, fields: ['s', 'f'] };
}

/** Matches a string literally; blanks match any number of blanks. */
function literalForm(value: string): string {
  return value
    .split(/(\s+)/)
    .map((run) => (/^\s+$/.test(run) ? '\\s*' : exactForm(run)))
    .join('');
}

/** Returns the regular expression that matches a string literally. */
export function exactForm(value: string): string {
  return value.replace(/[^\p{L}\p{N}]/gu, hex);
}

/** Escapes a character by its code, including `#`, which would open a field's group. */
function hex(sign: string): string {
  return `\\x{${sign.codePointAt(0)?.toString(16) ?? ''}}`;
}

/** The parts of a time in a string to parse; each is a group of the regular expression. */
const fields = [
  ...(['y', 'yy', 'century', 'quarter', 'mo', 'monthname', 'd', 'doy', 'h', 'hour12'] as const),
  ...(['meridian', 'mi', 's', 'f', 'zone', 'epoch', 'cy', 'rr'] as const),
  ...(['sundays', 'mondays', 'isoyear', 'isoyy', 'isoweek', 'isoday', 'weekday'] as const),
];
type TimeField = (typeof fields)[number];

/** Most formats have no other fields; a struct of few parts is quicker to fill and to read. */
const plainFields: readonly string[] = ['y', 'mo', 'd', 'h', 'mi', 's', 'f'] satisfies TimeField[];

/** The fields that a later field overrides because they mean the same. */
const overridden: Partial<Record<TimeField, readonly TimeField[]>> = {
  y: ['yy', 'century'],
  yy: ['y'],
  century: ['y'],
  mo: ['monthname', 'quarter'],
  monthname: ['mo', 'quarter'],
  quarter: ['mo', 'monthname', 'd'],
  isoyear: ['isoyy'],
  isoyy: ['isoyear'],
  sundays: ['mondays'],
  mondays: ['sundays'],
  h: ['hour12'],
  hour12: ['h'],
};

const years: readonly TimeField[] = ['y', 'yy', 'century'];
const months: readonly TimeField[] = ['mo', 'monthname', 'quarter'];
const weeks: readonly TimeField[] = ['sundays', 'mondays'];
const isoFields: readonly TimeField[] = ['isoyear', 'isoyy', 'isoweek', 'isoday'];
const otherFields: readonly TimeField[] = [...years, ...months, ...weeks, 'd', 'doy', 'epoch'];

/**
 * Decides whether each field counts, given their order in the format: the last of several with the same meaning, no ISO
 * field if there are others, no weekday without a week, and either a week or a day of the year. The year is late if it
 * comes after a week or a day of the year, so that their date does not change it.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/timestamp_functions#parse_timestamp
 */
function fieldPrecedence(order: readonly TimeField[]) {
  const dropped = new Set(droppedDates(order));
  const lasting = notOverridden(order);
  const kept = (field: TimeField, index: number) => lasting[index] === true && !dropped.has(field);
  // A week or a day of the year sets the month and the day, too.
  const setter = order.findLastIndex(
    (field, index) => (weeks.includes(field) || field === 'doy') && kept(field, index),
  );
  const isSet = (field: TimeField, index: number) =>
    index < setter && (months.includes(field) || field === 'd');
  return {
    counts: order.map((field, index) => kept(field, index) && !isSet(field, index)),
    isLateYear: setter >= 0 && order.some((field, i) => i > setter && years.includes(field)),
  };
}

/** Whether each field has no later override; one pass from the end, because a format may have 20,000 fields. */
function notOverridden(order: readonly TimeField[]): readonly boolean[] {
  const later = new Set<TimeField>();
  const fromEnd = order.toReversed().map((field) => {
    const lasts = !later.has(field);
    for (const each of [field, ...(overridden[field] ?? [])]) later.add(each);
    return lasts;
  });
  return fromEnd.toReversed();
}

/** The date fields that do not count because of other fields, in any order. */
function droppedDates(order: readonly TimeField[]): readonly TimeField[] {
  if (order.some((field) => otherFields.includes(field))) {
    return [...isoFields, ...droppedFields('doy', weeks, order)];
  }
  const hasYear = order.includes('isoyear') || order.includes('isoyy');
  return hasYear ? droppedFields('isoday', ['isoweek'], order) : [...isoFields, 'weekday'];
}

/** The fields to drop: of a day of the year and a week, the last one counts, but a week only with a weekday. */
function droppedFields(
  day: TimeField,
  week: readonly TimeField[],
  order: readonly TimeField[],
): readonly TimeField[] {
  const weekAt = order.findLastIndex((field) => week.includes(field));
  const dayAt = order.lastIndexOf(day);
  const isDay = dayAt >= 0 && (dayAt > weekAt || !order.includes('weekday'));
  if (isDay) return [...week, 'weekday'];
  return weekAt >= 0 ? [day] : ['weekday'];
}
