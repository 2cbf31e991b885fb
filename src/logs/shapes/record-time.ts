import { type InZone, inUtc } from './zone.js';

/** The named groups of a line. */
export type Groups = {
  readonly [name in 'event_message' | 'timestamp' | KnownPart]?: string | undefined;
} & { readonly [name: string]: string | undefined };

const knownParts = ['year', 'month', 'day', 'date', 'time', 'zone'] as const;
type KnownPart = (typeof knownParts)[number];
const timeParts: ReadonlySet<string> = new Set(knownParts);

/** Whether a group is a part of the record's time, and therefore not a field. */
export function isTimePart(name: string, { date }: Groups, isTable: boolean): boolean {
  if (!isTable || name === 'timestamp') return name === 'timestamp' || timeParts.has(name);
  return date !== undefined && (name === 'date' || name === 'time');
}

const monthNames = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

const isUtc = /(?:Z|UTC|GMT)$/;
const fraction = /^(.*\d)[.,](\d{1,6})\d*$/;
const iso =
  /^(\d{4})[-/](\d\d)[-/](\d\d)[T ]([\d:]+(?:[.,]\d+)?) ?(?:Z|UTC|GMT)?([+-]\d\d:?\d\d)?$/;

/** The facts about a record besides its groups. */
export interface TimeFacts {
  /** The time at which its file was last written, in milliseconds since 1970. */
  readonly writtenMs: number;
  /** The zone of a time without an offset; by default UTC. */
  readonly inZone?: InZone;
}

/**
 * Returns the time of a record, as an ISO 8601 string or as written; undefined if there is none. If the year is
 * missing, it becomes the latest year in which the time is at most a day after the file was written.
 * @param isTable whether only `timestamp`, or `date` with `time`, form the time: other columns may have any name
 */
export function recordTime(
  groups: Groups,
  { writtenMs, inZone = inUtc }: TimeFacts,
  isTable = false,
): string | undefined {
  const { date, month, time = '' } = groups;
  const { timestamp = date && time && `${date} ${time}` } = groups;
  if (timestamp !== undefined) return isoTime(timestamp, inZone);
  if (isTable || (month === undefined && time === '')) return undefined;
  const facts = { writtenMs, inZone };
  if (month === undefined) return timeOfDay(shortened(time), facts);
  return dayTime(groups, month, facts);
}

/** Returns a time in ISO 8601 as such; any other time as written. */
function isoTime(timestamp: string, inZone: InZone): string {
  const [, year, month = '', day = '', clock = '', offset = ''] = iso.exec(timestamp) ?? [];
  if (year === undefined) return timestamp;
  const time = `${year}-${month}-${day}T${shortened(clock)}`;
  const written = offset || (isUtc.test(timestamp) ? 'Z' : '');
  return written === '' ? inZone(time) : `${time}${written}`;
}

function dayTime(
  { year, day = '', time = '', zone = '' }: Groups,
  month: string,
  { writtenMs, inZone }: Required<TimeFacts>,
): string {
  const number = Number(month) || 1 + monthNames.indexOf(month.toLowerCase().slice(0, 3));
  const inYear = `${pad(number)}-${pad(Number(day))}T${shortened(time)}`;
  const at = (full: number) => {
    const clock = `${full}-${inYear}`;
    return zone === '' ? inZone(clock) : `${clock}${/^[+-]/.test(zone) ? zone : 'Z'}`;
  };
  if (year !== undefined) return at(Number(year) + (year.length === 2 ? 2000 : 0));
  const next = new Date(writtenMs).getUTCFullYear() + 1;
  const isPast = (text: string) => Date.parse(text) <= writtenMs + dayMs;
  return [next, next - 1].map(at).find(isPast) ?? at(next - 2);
}

/** Returns a time without a date as the last such time before the file was written. */
function timeOfDay(time: string, { writtenMs, inZone }: Required<TimeFacts>): string {
  const days = [1, 0, -1].map((day) => new Date(writtenMs + day * dayMs).toISOString());
  const all = days.map((day) => inZone(`${day.slice(0, 10)}T${time}`));
  return all.find((each) => Date.parse(each) <= writtenMs) ?? all.at(-1) ?? time;
}

const dayMs = 86_400_000;

function pad(number: number): string {
  return String(number).padStart(2, '0');
}

/** Shortens the fraction of a time of day to microseconds, and writes a point before it. */
function shortened(time: string): string {
  return time.replace(fraction, '$1.$2');
}
