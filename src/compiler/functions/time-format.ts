import { QueryFault } from '../../errors/query-fault.js';
import type * as bound from '../bound/bound.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { civilTime, toCivil } from './zone.js';

/** The value to print, in the forms that elements need. */
interface Printed {
  readonly civil: DuckExpression;
  /** The instant in microseconds since 1970. */
  readonly instant: DuckExpression;
}

/**
 * `FORMAT_TIMESTAMP('%F', t[, zone])`, `FORMAT_DATE` and so on. The format must be a literal.
 * @throws QueryFault if the format is not a literal, or has an unknown element
 */
export function formatTime(args: readonly DuckExpression[], node: bound.Call): DuckExpression {
  const [, value = d.nullValue, zone] = args;
  const kind = node.args[1]?.type.kind ?? '';
  const format = literalFormat(node);
  if (format === undefined) return d.castTo(d.nullValue, 'VARCHAR');
  const civil = civilTime(value, zone, node, 1);
  const instant = d.call('epoch_us', kind === 'TIMESTAMP' ? value : civil);
  const printed = parseTimeFormat(format, kind, node.at).map((piece) => {
    if ('text' in piece) return d.text(piece.text);
    const { element } = piece;
    if (isForeign(element, kind)) return d.text(`%${element}`);
    const own = elements[element] ?? secondsPrinter(element);
    return own?.({ civil, instant }) ?? strftime(civil, `%${element}`);
  });
  return joinTimes(printed, value);
}

/** `STRING(t, zone)`, for example `2026-03-10 12:00:00-04`. */
export function zonedText(value: DuckExpression, zone: DuckExpression, at: number): DuckExpression {
  const civil = toCivil(value, zone, at);
  const offset = d.infix('-', d.call('epoch_us', civil), d.call('epoch_us', value));
  return d.macro('timestamp_text', civil, offset);
}

/** A call of DuckDB's strftime. */
export function strftime(civil: DuckExpression, format: string): DuckExpression {
  return d.call('strftime', civil, d.text(format));
}

type Print = (printed: Printed) => DuckExpression;

const offset = ({ civil, instant }: Printed) => d.infix('-', d.call('epoch_us', civil), instant);
const part = (name: string, civil: DuckExpression) => d.call('date_part', d.text(name), civil);
const two = (value: DuckExpression, fill: string) =>
  d.call('lpad', d.castTo(value, 'VARCHAR'), d.integer(2), d.text(fill));

/** The elements that DuckDB's strftime does not print like BigQuery. */
const elements: Readonly<Record<string, Print>> = {
  C: ({ civil }) => two(d.infix('//', part('year', civil), d.integer(100)), '0'),
  E4Y: ({ civil }) => strftime(civil, '%Y'),
  Ez: (printed) => d.macro('offset_text', offset(printed), d.text(':')),
  J: ({ civil }) => d.macro('iso_day_text', civil),
  P: ({ civil }) => d.call('lower', strftime(civil, '%p')),
  Q: ({ civil }) => d.castTo(part('quarter', civil), 'VARCHAR'),
  // A year has as many digits as it needs.
  Y: ({ civil }) => d.call('ltrim', strftime(civil, '%Y'), d.text('0')),
  Z: (printed) => d.macro('zone_text', offset(printed)),
  e: ({ civil }) => two(part('day', civil), ' '),
  g: ({ civil }) => two(d.infix('%', part('isoyear', civil), d.integer(100)), '0'),
  k: ({ civil }) => two(part('hour', civil), ' '),
  l: ({ civil }) => d.call('lpad', strftime(civil, '%-I'), d.integer(2), d.text(' ')),
  s: ({ instant }) => d.castTo(d.macro('floor_div', instant, d.integer(1_000_000)), 'VARCHAR'),
  z: (printed) => d.macro('offset_text', offset(printed), d.text('')),
};

/** `%E3S` and `%E*S`: seconds with a fraction, truncated, not rounded. */
function secondsPrinter(element: string): Print | undefined {
  const digits = /^E([\d*])S$/.exec(element)?.[1];
  if (digits === undefined) return undefined;
  return ({ civil }) =>
    digits === '*'
      ? d.macro('all_seconds_text', civil)
      : d.macro('seconds_text', civil, d.integer(Number(digits)));
}

/**
 * A piece of a format: literal text, which may be written as an element such as `%n`, or an element without its `%`.
 */
export type Piece =
  | { readonly text: string; readonly isEscape?: true }
  | { readonly element: string };

/** Elements that are short for others. */
const composites: Readonly<Record<string, string>> = {
  c: '%a %b %e %H:%M:%S %Y',
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  R: '%H:%M',
  T: '%H:%M:%S',
  X: '%H:%M:%S',
  h: '%b',
  r: '%I:%M:%S %p',
  x: '%m/%d/%y',
};

/** For each type, the last letters of the format elements that print a part that the type lacks. */
const foreignLetters: Readonly<Record<string, string>> = {
  DATE: 'cHIklMPpRrSsTXZz',
  DATETIME: 'Zz',
  TIME: 'AaBbhCcDdeFGgjmQsUuVWwxYyZz',
};

/** Whether a type lacks the part that an element prints, as a DATE lacks hours. */
export function isForeign(element: string, kind: string): boolean {
  return foreignLetters[kind]?.includes(element.at(-1) ?? '') ?? false;
}

const pieceForm = /%(E[\d*]S|E4Y|E[zcCxXyY]|O[deHIklmMSuUVwWy]|[^EO])|([^%]+)|(.)/gsu;

/**
 * Parses a format. An element that is short for others is replaced by them if the type has them.
 * @throws QueryFault for an unknown element
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/format-elements#format_elements_date_time
 */
export function parseTimeFormat(format: string, kind: string, at: number): readonly Piece[] {
  return [...format.matchAll(pieceForm)].flatMap(([, found, text, rest]) => {
    if (rest !== undefined) throw new QueryFault(`Invalid format element in '${format}'`, at);
    if (text !== undefined) return [{ text }];
    const element = (found ?? '').replace(/^O|^E(?=[cCxXyY])/, '');
    if (!elementForm.test(element)) {
      throw new QueryFault(`Format element %${element} is not supported`, at);
    }
    const composite = isForeign(element, kind) ? undefined : composites[element];
    return composite === undefined ? [plainPiece(element)] : parseTimeFormat(composite, kind, at);
  });
}

const elementForm = /^(?:[AaBbCcDdeFGgHhIJjklMmnPpQRrSsTtUuVWwXxYyZz%]|E4Y|Ez|E[\d*]S)$/;

const plainTexts: Readonly<Record<string, string>> = { '%': '%', n: '\n', t: '\t' };

function plainPiece(element: string): Piece {
  const text = plainTexts[element];
  return text === undefined ? { element } : { text, isEscape: true };
}

/**
 * The format of a call, which must be a literal; undefined for NULL.
 * @throws QueryFault if it is not a literal
 */
export function literalFormat({ args, function: { name }, at }: bound.Call): string | undefined {
  const [format, second] = args;
  if (format?.kind === 'literal') return format.value ?? undefined;
  const isSwapped = second?.kind === 'literal' && second.value?.includes('%');
  const title = name.toUpperCase();
  const hint = isSwapped ? `: the format comes first, as in ${title}('%F', value)` : '';
  throw new QueryFault(`${title} requires a format that is a literal${hint}`, at);
}

/** Joins the parts of a printed time; NULL if the time is NULL. Adjacent parts share a call of strftime if possible. */
export function joinTimes(parts: readonly DuckExpression[], time: DuckExpression): DuckExpression {
  const joined: DuckExpression[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const both = last && joinTwo(last, part);
    if (both === undefined) joined.push(part);
    else joined[joined.length - 1] = both;
  }
  const [first = d.text('')] = joined;
  const isConstant = joined.length < 2 && first.kind === 'text';
  return isConstant ? d.choose(d.isNull(time), d.nullValue, first) : d.infix('||', ...joined);
}

function joinTwo(left: DuckExpression, right: DuckExpression): DuckExpression | undefined {
  if (left.kind === 'text' && right.kind === 'text') return d.text(left.value + right.value);
  if (left.kind === 'call' && left.path[0] === 'ltrim') {
    const [inner = left, zero = d.nullValue] = left.args;
    const both = joinTwo(inner, right);
    return both && d.call('ltrim', both, zero);
  }
  const [a, b] = [strftimeParts(left), strftimeParts(right)];
  const civil = a?.civil ?? b?.civil;
  if (a === undefined || b === undefined || civil === undefined) return undefined;
  return strftime(civil, a.format + b.format);
}

/** The value and format of a call of strftime; a literal string is a format without a value. */
function strftimeParts(
  node: DuckExpression,
): { readonly civil?: DuckExpression; readonly format: string } | undefined {
  if (node.kind === 'text') return { format: node.value.replaceAll('%', '%%') };
  if (node.kind !== 'call' || node.path[0] !== 'strftime') return undefined;
  const [civil, format] = node.args;
  return civil && format?.kind === 'text' ? { civil, format: format.value } : undefined;
}
