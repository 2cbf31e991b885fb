import { QueryFault } from '../../errors/query-fault.js';
import { quoteForMessage } from './lql-cursor.js';
import type { LqlMoment, LqlUnit, LqlWord } from './lql-tree.js';
import { maxCount, units } from './lql-words.js';

/**
 * Parses the time after `t:`: a date, a range of dates, a date with ranges in braces, a Unix time, or
 * a word. The resolver checks whether the date exists.
 * @throws QueryFault for anything else
 */
export function parseMoment(word: LqlWord): LqlMoment {
  const moment =
    parseWord(word) ?? parseThis(word) ?? parseLast(word) ?? parseBraces(word) ?? parseDates(word);
  if (moment !== undefined) return moment;
  const forms =
    '2026-03-10T12:00:00Z, two dates separated by .., a Unix time in seconds, milliseconds or microseconds, now, today, yesterday, this@hour or last@2h';
  throw new QueryFault(`${quoteForMessage(word.text)} is not a time: use ${forms}`, word.at);
}

function parseWord({ text, at }: LqlWord): LqlMoment | undefined {
  return text === 'now' || text === 'today' || text === 'yesterday'
    ? { kind: text, at }
    : undefined;
}

/** The digits of a Unix time in seconds, milliseconds, microseconds and nanoseconds. */
const unixForm = /^(\d{10})((?:\d{3}){0,3})$/;

/** Converts a Unix time to the notation of a TIMESTAMP literal; undefined if the string is not a Unix time. */
function parseUnix(text: string): string | undefined {
  const [, seconds, fraction = ''] = unixForm.exec(text) ?? [];
  if (seconds === undefined) return undefined;
  const second = new Date(Number(seconds) * 1_000).toISOString().slice(0, 19);
  return `${second}.${fraction.padEnd(6, '0').slice(0, 6)}Z`;
}

function parseThis({ text, at }: LqlWord): LqlMoment | undefined {
  if (!text.startsWith('this@')) return undefined;
  const start = 'this@'.length;
  const unit = parseUnit({ text: text.slice(start), at: at + start }, units);
  return { kind: 'this', unit, at };
}

function parseLast({ text, at }: LqlWord): LqlMoment | undefined {
  const [start, digits = ''] = /^last@(\d*)/.exec(text) ?? [];
  if (start === undefined) return undefined;
  const name = { text: text.slice(start.length), at: at + start.length };
  const unit = parseUnit(name, units);
  const count = Number(digits || 1);
  if (count > maxCount(unit)) {
    const message = `${quoteForMessage(text)} goes too far back: at most ${maxCount(unit)}, which is a hundred years`;
    throw new QueryFault(message, at + 'last@'.length);
  }
  return { kind: 'last', unit, count, at };
}

/** Parses the name of a unit. @throws QueryFault if it is not one of `allowed` */
export function parseUnit({ text, at }: LqlWord, allowed: ReadonlyMap<string, LqlUnit>): LqlUnit {
  const unit = allowed.get(text);
  if (unit !== undefined) return unit;
  const names = [...allowed.keys()].filter((name) => !/..s$/.test(name)).join(', ');
  throw new QueryFault(`Unknown unit ${quoteForMessage(text)}: expected one of ${names}`, at);
}

const dateForm =
  /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2})(?::(\d{2}(?:\.\d{1,6})?))?(Z|[-+]\d{2}(?::?\d{2})?)?)?$/;

/** A date or Unix time, or two of them as `low..high`; a date may include a time. */
export function parseDates({ text, at }: LqlWord): LqlMoment | undefined {
  const [low, high] = splitRange({ text, at });
  const first = parseEnd(low.text);
  if (first === undefined) return undefined;
  if (high === undefined) return { kind: 'instant', text: first.text, at };
  const last = parseEnd(high.text);
  if (last === undefined) return undefined;
  if ((first.hasZone ?? last.hasZone) !== (last.hasZone ?? first.hasZone)) {
    throw new QueryFault('Either both ends of a range have a time zone, or neither has', at);
  }
  return {
    kind: 'range',
    low: { ...low, text: first.text },
    high: { ...high, text: last.text },
    at,
  };
}

/** Splits `low..high` into its two ends; without dots, returns only the whole word. */
export function splitRange({ text, at }: LqlWord): readonly [LqlWord, LqlWord?] {
  const end = text.indexOf('..');
  if (end < 0) return [{ text, at }];
  const start = end + '..'.length;
  return [
    { text: text.slice(0, end), at },
    { text: text.slice(start), at: at + start },
  ];
}

/** An instant; `hasZone` is undefined for a Unix time, which forms a range with any date. */
interface End {
  readonly text: string;
  readonly hasZone?: boolean;
}

function parseEnd(text: string): End | undefined {
  const unix = parseUnix(text);
  return unix === undefined ? parseDate(text) : { text: unix };
}

/** Converts a date to the notation of a TIMESTAMP literal; undefined if the string is not a date. */
function parseDate(text: string): End | undefined {
  const [, date, time = '00:00', second = '00', zone] = dateForm.exec(text) ?? [];
  if (date === undefined) return undefined;
  return { text: `${date}T${time}:${second}${zone ?? 'Z'}`, hasZone: zone !== undefined };
}

const braces = /\{(\d{1,4})\.\.(\d{1,4})\}/g;

/** `2026-03-{01..05}`: from the date with the minimum of each pair to the date with the maximum. */
function parseBraces({ text, at }: LqlWord): LqlMoment | undefined {
  if (!text.includes('{')) return undefined;
  const low = parseDate(text.replaceAll(braces, (_, a, b) => rangeEnd(a, b, Math.min)));
  const high = parseDate(text.replaceAll(braces, (_, a, b) => rangeEnd(a, b, Math.max)));
  if (low === undefined || high === undefined) return undefined;
  return { kind: 'range', low: { text: low.text, at }, high: { text: high.text, at }, at };
}

function rangeEnd(a: string, b: string, choose: (a: number, b: number) => number): string {
  return String(choose(Number(a), Number(b))).padStart(Math.max(2, a.length, b.length), '0');
}
