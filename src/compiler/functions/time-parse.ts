import { QueryFault } from '../../errors/query-fault.js';
import type { BoundCall } from '../bound/bound.js';
import {
  call,
  castTo,
  type DuckExpression,
  duckNull,
  integer,
  macro,
  text,
} from '../duckdb-sql/duckdb-sql.js';
import { isForeign, literalFormat, type Piece, parseTimeFormat } from './time-format.js';
import { fromCivil } from './zone.js';

/**
 * `PARSE_TIMESTAMP('%F', text[, zone])`, `PARSE_DATE` and so on: the compiler translates the format
 * into a regular expression whose groups are the parts of the time.
 * @throws QueryFault if the format is not a literal, or has an element that the type does not have
 */
export function parseTime(args: readonly DuckExpression[], node: BoundCall): DuckExpression {
  const kind = node.type.kind;
  const format = literalFormat(node.args[0], node.function.name.toUpperCase(), node.at);
  if (format === undefined) return castTo(duckNull, storedType(node));
  const pieces = parseTimeFormat(format, kind, node.at);
  const matchers = pieces.map((piece, i) => matcherOf(piece, pieces[i + 1], node));
  return parseWith(matchers, args.slice(1), node);
}

/**
 * Parses the first argument with matchers, in the zone of the optional second argument.
 * @param matched what the matchers read, if it is not the text itself
 */
export function parseWith(
  matchers: readonly Matcher[],
  [value = duckNull, zone]: readonly DuckExpression[],
  node: BoundCall,
  matched: DuckExpression = value,
): DuckExpression {
  const civil = (name: string, ...more: readonly DuckExpression[]) =>
    withParts(matched, matchers, (parts) => macro(name, value, parts, ...more));
  if (node.type.kind !== 'TIMESTAMP') {
    return castTo(civil('parsed_datetime'), storedType(node));
  }
  const has = (field: Field) => matchers.some(({ fields }) => fields.includes(field));
  if (has('zone')) return civil('parsed_timestamp', zone ?? text('UTC'));
  return fromCivil(civil('parsed_datetime'), has('epoch') ? undefined : zone, node.at);
}

function storedType({ type: { kind } }: BoundCall): string {
  return { TIMESTAMP: 'TIMESTAMPTZ', DATETIME: 'TIMESTAMP' }[kind as string] ?? kind;
}

/** The parts of a time; each is a group of the regular expression. */
const fields = [
  ...(['y', 'yy', 'century', 'quarter', 'mo', 'monthname', 'd', 'doy', 'h', 'hour12'] as const),
  ...(['meridian', 'mi', 's', 'f', 'zone', 'epoch', 'cy', 'rr'] as const),
  ...(['sundays', 'mondays', 'isoyear', 'isoweek', 'weekday'] as const),
];
type Field = (typeof fields)[number];

/** The regular expression of a piece of the format; each `#` opens the group of a field. */
export interface Matcher {
  readonly form: string;
  readonly fields: readonly Field[];
}

/** Passes on the match as a struct of all fields; absent fields are empty, `found` is the whole match. */
function withParts(
  value: DuckExpression,
  matchers: readonly Matcher[],
  use: (parts: DuckExpression) => DuckExpression,
): DuckExpression {
  const order = matchers.flatMap((matcher) => matcher.fields);
  const isOverridden = overriddenIn(order);
  const names: string[] = ['found'];
  let index = 0;
  const forms = matchers.map(({ form }) =>
    form.replaceAll('#', () => {
      const field = order[index] as Field;
      index += 1;
      if (isOverridden[index - 1]) return '(?:';
      names.push(field);
      return '(';
    }),
  );
  const absent = fields.filter((field) => !names.includes(field));
  const pattern = `^(\\s*${forms.join('')}\\s*)$${'()'.repeat(absent.length)}`;
  const list = { kind: 'list', elements: [...names, ...absent].map(text) } as const;
  const match = call('regexp_extract', value, text(pattern), list);
  const body = use({ kind: 'name', name: 'parts' });
  const mapped = call(
    'list_transform',
    { kind: 'list', elements: [match] },
    { kind: 'lambda', parameters: ['parts'], body },
  );
  return call('list_extract', mapped, integer(1));
}

/** The number of a week that starts on Sunday or on Monday. */
const weekFields = ['sundays', 'mondays'] as const;

/** The fields that a later field overrides because they mean the same. */
const overridden: Partial<Record<Field, readonly Field[]>> = {
  y: ['yy', 'century', 'isoyear'],
  yy: ['y', 'isoyear'],
  century: ['y'],
  mo: ['monthname', 'quarter', ...weekFields],
  monthname: ['mo', 'quarter', ...weekFields],
  d: weekFields,
  quarter: ['mo', 'monthname', 'd', ...weekFields],
  doy: ['mo', 'monthname', 'd', ...weekFields],
  sundays: ['mo', 'monthname', 'd', 'doy', 'quarter', 'mondays'],
  mondays: ['mo', 'monthname', 'd', 'doy', 'quarter', 'sundays'],
  h: ['hour12'],
  hour12: ['h'],
};

/** Whether a later field overrides each field. One pass from the end: a format may have 20,000 fields. */
function overriddenIn(order: readonly Field[]): readonly boolean[] {
  const later = new Set<Field>();
  const fromEnd = order.toReversed().map((field) => {
    const isOverriddenLater = later.has(field);
    for (const each of [field, ...(overridden[field] ?? [])]) later.add(each);
    return isOverriddenLater;
  });
  return fromEnd.toReversed();
}

const offset = String.raw`[-+]\d{2}`;
const months =
  'jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:tember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?';
const weekdays =
  '#(?i:sun(?:day)?|mon(?:day)?|tue(?:sday)?|wed(?:nesday)?|thu(?:rsday)?|fri(?:day)?|sat(?:urday)?))';

const one = (form: string, field: Field): Matcher => ({ form, fields: [field] });
const two = String.raw`#\d{1,2})`;
const padded = String.raw`\s*#\d{1,2})`;

const matchersOf: Readonly<Record<string, Matcher>> = {
  A: one(weekdays, 'weekday'),
  B: one(`#(?i:${months}))`, 'monthname'),
  C: one(two, 'century'),
  G: one(String.raw`#\d{1,4})`, 'isoyear'),
  E4Y: one(String.raw`#\d{4})`, 'y'),
  Ez: one(`#${offset}(?::?\\d{2})?|Z)`, 'zone'),
  H: one(two, 'h'),
  I: one(padded, 'hour12'),
  M: one(two, 'mi'),
  P: one('#(?i:am|pm))', 'meridian'),
  Q: one('#[1-4])', 'quarter'),
  S: one(two, 's'),
  U: one(two, 'sundays'),
  V: one(two, 'isoweek'),
  W: one(two, 'mondays'),
  Z: one(String.raw`#[\w/+:-]+)`, 'zone'),
  a: one(weekdays, 'weekday'),
  b: one(`#(?i:${months}))`, 'monthname'),
  d: one(two, 'd'),
  e: one(padded, 'd'),
  j: one(String.raw`#\d{1,3})`, 'doy'),
  k: one(padded, 'h'),
  l: one(padded, 'hour12'),
  m: one(two, 'mo'),
  p: one('#(?i:am|pm))', 'meridian'),
  s: one(String.raw`#-?\d{1,12})`, 'epoch'),
  u: one('#[1-7])', 'weekday'),
  w: one('#[0-6])', 'weekday'),
  y: one(two, 'yy'),
  z: one(`#${offset}(?:\\d{2})?)`, 'zone'),
};

function matcherOf(piece: Piece, next: Piece | undefined, node: BoundCall): Matcher {
  if ('text' in piece) return { form: literalForm(piece.text), fields: [] };
  const { element } = piece;
  const kind = node.type.kind;
  if (isForeign(element, kind)) {
    const message = `Invalid format: %${element} is not allowed for the ${kind} type.`;
    throw new QueryFault(message, node.at);
  }
  // A year before another element has at most four digits, for formats such as '%Y%m%d'.
  if (element === 'Y') return one(`#\\d{1,${next && 'element' in next ? 4 : 5}})`, 'y');
  const matcher = matchersOf[element] ?? secondsOf(element);
  if (matcher !== undefined) return matcher;
  throw new QueryFault(`Format element %${element} is not supported when parsing`, node.at);
}

/** `%E3S` and `%E*S`: seconds with an optional fraction. */
function secondsOf(element: string): Matcher | undefined {
  const digits = /^E([\d*])S$/.exec(element)?.[1];
  if (digits === undefined) return undefined;
  if (digits === '0') return one(two, 's');
  const count = digits === '*' ? '+' : `{1,${digits}}`;
  return { form: `${two}(?:\\.#\\d${count}))?`, fields: ['s', 'f'] };
}

/** Matches a text literally; blanks match any number of blanks. */
function literalForm(value: string): string {
  return value
    .split(/(\s+)/)
    .map((run) => (/^\s+$/.test(run) ? '\\s*' : exactForm(run)))
    .join('');
}

/** The regular expression that matches a text literally. */
export function exactForm(value: string): string {
  return value.replace(/[^\p{L}\p{N}]/gu, hex);
}

/** Escapes a character by its code, also `#`, which would open a field's group. */
function hex(sign: string): string {
  return `\\x{${sign.codePointAt(0)?.toString(16) ?? ''}}`;
}
