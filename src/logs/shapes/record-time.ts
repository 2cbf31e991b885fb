import type { Line } from './member.js';
import { readTimeParts } from './time-formats.js';
import { addZone, type InZone, inUtc } from './zone.js';

/** The named groups of a line. */
export type Groups = {
  readonly [name in 'event_message' | 'timestamp' | KnownPart]?: string | undefined;
} & { readonly [name: string]: string | undefined };

const knownParts = ['year', 'month', 'day', 'date', 'time', 'zone', 'half'] as const;
type KnownPart = (typeof knownParts)[number];
const timeParts: ReadonlySet<string> = new Set(knownParts);

/** Whether a group is a part of the record's time, and therefore not a field. */
export function isTimePart(name: string, groups: Groups, isTable: boolean): boolean {
  if (!isTable || name === 'timestamp') return name === 'timestamp' || timeParts.has(name);
  const isJoined = groups.timestamp === undefined && joinedTime(groups) !== undefined;
  return isJoined && (name === 'date' || name === 'time');
}

const monthNames = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

const iso =
  /^(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d:[\d:]+)(?:[.,](\d{1,6})\d*)? ?([A-Z]{1,5}|[+-]\d\d(?::?\d\d)?)?$/;

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
  const { month, time } = groups;
  const { timestamp = joinedTime(groups) } = groups;
  const facts = { writtenMs, inZone };
  if (timestamp !== undefined) return knownTime(timestamp, facts);
  const hasParts = !isTable && (month !== undefined || Boolean(time));
  return hasParts ? timeOfParts(groups, facts) : undefined;
}

/** Times that are read as they are: ISO 8601, and digits. */
const plainJson = /^"(?:\d{4}-\d\d-\d\d[T ][\d:.]+(?:Z|[+-]\d\d:?\d\d)?|[\d.]+)"$/;

/**
 * Returns the time of a JSON record in ISO 8601, if it is written in another known way with a year; any other value
 * unchanged.
 */
export function jsonTime(time: Line, inZone: InZone = inUtc): Line {
  if (!time.startsWith('"') || plainJson.test(time)) return time;
  const parts = time.length < 60 ? readTimeParts(time.slice(1, -1), 'dated') : undefined;
  return parts === undefined ? time : `"${timeOfParts(parts, { writtenMs: 0, inZone })}"`;
}

/** Joins a date and a time of day in columns of their own. */
function joinedTime({ date, time }: Groups): string | undefined {
  return date && time && !date.includes(':') ? `${date} ${time}` : undefined;
}

/** Returns a time in ISO 8601, if it is written in a known way; any other time as written. */
function knownTime(timestamp: string, facts: Required<TimeFacts>): string {
  const [, year, month = '', day = '', clock = '', fraction = '', zone = ''] =
    iso.exec(timestamp) ?? [];
  if (year !== undefined) {
    const time = `${year}-${month}-${day}T${clock}${fraction && `.${fraction}`}`;
    return addZone(time, zone, facts.inZone);
  }
  const parts = readTimeParts(timestamp);
  if (parts !== undefined) return timeOfParts(parts, facts);
  // Seconds with an exponent
  return /^\d\.\d+e\+?\d\d$/.test(timestamp) ? String(Number(timestamp)) : timestamp;
}

function timeOfParts(parts: Groups, facts: Required<TimeFacts>): string {
  const { month, time = '', half } = parts;
  const clock = clockTime(time, half);
  if (month === undefined) return timeOfDay(clock, facts);
  return dayTime(parts, month, clock, facts);
}

function dayTime(
  { year, day: written = '', zone = '' }: Groups,
  writtenMonth: string,
  clock: string,
  { writtenMs, inZone }: Required<TimeFacts>,
): string {
  const number =
    Number(writtenMonth) || 1 + monthNames.indexOf(writtenMonth.toLowerCase().slice(0, 3));
  // `13/03/2026` begins with the day.
  const [month, day] = number > 12 ? [Number(written), number] : [number, Number(written)];
  const inYear = `${pad(month)}-${pad(day)}T${clock}`;
  const at = (full: number) => addZone(`${full}-${inYear}`, zone, inZone);
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

const clockParts = /^(\d{1,2}):?(\d\d)(?::?(\d\d)(?:[.,](\d{1,6})\d*)?)?$/;

/** Returns a time of day as ISO 8601 has it, in microseconds at most; one of another form as written. */
function clockTime(time: string, half: string | undefined): string {
  const [, written, minute = '', second = '00', fraction] = clockParts.exec(time) ?? [];
  if (written === undefined) return time;
  const hour = Number(written);
  const full = half === undefined ? hour : (hour % 12) + (/^p/i.test(half) ? 12 : 0);
  return `${pad(full)}:${minute}:${second}${fraction === undefined ? '' : `.${fraction}`}`;
}
