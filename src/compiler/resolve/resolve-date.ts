import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import { scalar } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { coerce, coercionCost } from '../bound/coerce.js';
import { boundLiteral, parseInteger } from '../bound/literal.js';
import { callByName } from '../functions/match-call.js';
import { asInteger } from '../functions/read-open.js';
import type { Expression, ExpressionOf } from '../syntax/tree.js';

/**
 * Resolves `interval 5 minute` to a call, and `interval '1-2' year to month` to a constant.
 * @throws QueryFault for invalid parts or an invalid string
 */
export function resolveInterval(
  node: ExpressionOf<'interval'>,
  value: bound.Expression,
): bound.Expression {
  const { part, to, at } = node;
  if (to === undefined) return resolveAmount(node, value);
  const [from, end] = [intervalFields.indexOf(part), intervalFields.indexOf(to)];
  if (from < 0 || end < 0) {
    throw new QueryFault(`Invalid interval literal: ${part} TO ${to}`, at);
  }
  if (value.kind !== 'literal' || value.type.kind !== 'STRING') {
    throw new QueryFault('INTERVAL with TO requires a string literal', at);
  }
  const text = value.value ?? '';
  return intervalLiteral(intervalForm(intervalFields.slice(from, end + 1)), text, at);
}

/** `interval 5 day`, or `interval '5' day`, whose string must be a literal. */
function resolveAmount(
  { part, at }: ExpressionOf<'interval'>,
  value: bound.Expression,
): bound.Expression {
  const text = value.kind === 'literal' && value.type.kind === 'STRING' ? value.value : null;
  if (text !== null && part === 'SECOND') return intervalLiteral(secondsForm, text, at);
  const amount = text === null ? asInteger(value) : literalAmount(text, at);
  if (coercionCost(amount, scalar('INT64')) === undefined) {
    const message =
      'Invalid interval literal. Expected INTERVAL keyword to be followed by an INT64 expression or STRING literal';
    throw new QueryFault(message, at);
  }
  const unit = { kind: 'part', part, at, type: scalar('STRING') } as const;
  return callByName('$interval', [coerce(amount, scalar('INT64'), at), unit], at);
}

function literalAmount(text: string, at: number): bound.Expression {
  const number = /^[-+]?\d+$/.test(text) ? parseInteger(text) : undefined;
  if (number === undefined) throw badInterval(text, at);
  return boundLiteral('INT64', number);
}

/** `interval '1.5' second`: only seconds may have a fraction. */
const secondsForm = /^(?<clockSign>[-+]?)(?=\.?\d)(?<SECOND>\d*)(?:\.(?<fraction>\d{0,6}))?$/;

/** A constant interval from a string of this form. @throws QueryFault if the string has another form */
function intervalLiteral(form: RegExp | undefined, text: string, at: number): bound.Expression {
  const literal = buildInterval(form?.exec(text)?.groups);
  if (literal === undefined) throw badInterval(text, at);
  return boundLiteral('INTERVAL', literal);
}

function badInterval(text: string, at: number): QueryFault {
  return new QueryFault(`Invalid INTERVAL value '${shortName(text)}'`, at);
}

/** The parts for which EXTRACT does not return an INT64. */
const typedParts: ReadonlySet<string> = new Set(['DATE', 'DATETIME', 'TIME']);

/** Resolves `extract(part from value at time zone zone)` to a call of `$extract`, or of `$extract_date` and so on. */
export function resolveExtract(
  node: ExpressionOf<'extract'>,
  from: bound.Expression,
  zone: bound.Expression | undefined,
): bound.Expression {
  const part = datePart(node.part);
  const name = part.kind === 'part' ? part.part : '';
  const rest = zone ? [from, zone] : [from];
  if (!typedParts.has(name)) return callByName('$extract', [part, ...rest], node.at);
  return callByName(`$extract_${name.toLowerCase()}`, rest, node.at);
}

/** A date part: `day`, or `week(monday)`. */
export function datePart(node: Expression): bound.Expression {
  const type = scalar('STRING');
  if (node.kind === 'path' && node.parts.length === 1) {
    const part = node.parts[0]?.name.toUpperCase() ?? '';
    return { kind: 'part', part, at: node.at, type };
  }
  const argument = node.kind === 'call' ? node.arguments[0]?.value : undefined;
  if (node.kind === 'call' && argument?.kind === 'path') {
    const [outer, inner] = [node.path[0]?.name, argument.parts[0]?.name];
    return { kind: 'part', part: `${outer}(${inner})`.toUpperCase(), at: node.at, type };
  }
  throw new QueryFault('A date part such as DAY is required here', node.at);
}

/** The date parts that can be used with TO. */
const intervalFields = ['YEAR', 'MONTH', 'DAY', 'HOUR', 'MINUTE', 'SECOND'];

/**
 * The form of an interval literal with these fields, for example `1-2 3 4:5:6` for YEAR TO SECOND; undefined
 * for fewer than two fields.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/lexical#interval_literals
 */
function intervalForm(wanted: readonly string[]): RegExp | undefined {
  if (wanted.length < 2) return undefined;
  const form = (sign: string, fields: readonly string[], between: string) => {
    const digits = wanted
      .filter((field) => fields.includes(field))
      .map((field) => `(?<${field}>\\d+)`);
    return digits.length > 0 ? [`(?<${sign}>[-+]?)${digits.join(between)}`] : [];
  };
  const forms = [
    ...form('monthSign', ['YEAR', 'MONTH'], '-'),
    ...form('daySign', ['DAY'], ''),
    ...form('clockSign', ['HOUR', 'MINUTE', 'SECOND'], ':'),
  ].join(' ');
  const fraction = wanted.includes('SECOND') ? '(?:\\.(?<fraction>\\d{1,6}))?' : '';
  return new RegExp(`^${forms}${fraction}$`);
}

function buildInterval(groups: Readonly<Record<string, string | undefined>> | undefined) {
  if (groups === undefined) return undefined;
  const number = (name: string) => BigInt(groups[name] ?? 0);
  const signed = (name: string, value: bigint) => (groups[name] === '-' ? -value : value);
  const months = signed('monthSign', number('YEAR') * 12n + number('MONTH'));
  const days = signed('daySign', number('DAY'));
  const { fraction = '' } = groups;
  const seconds = (number('HOUR') * 60n + number('MINUTE')) * 60n + number('SECOND');
  const micros = signed('clockSign', seconds * 1_000_000n + BigInt(fraction.padEnd(6, '0')));
  return printInterval(Number(months), Number(days), micros);
}

/** An interval in the compiler's notation: `14 months 3 days -4000000 microseconds`; undefined if out of range. */
function printInterval(months: number, days: number, micros: bigint): string | undefined {
  const limits = [Math.abs(months) <= 120_000, Math.abs(days) <= 3_660_000];
  const isLong = micros > 316_224_000_000_000_000n || micros < -316_224_000_000_000_000n;
  if (isLong || limits.includes(false)) return undefined;
  return `${months} months ${days} days ${micros} microseconds`;
}
