/** The named groups of a line. */
export type Groups = {
  readonly [name in 'event_message' | 'timestamp' | KnownPart]?: string | undefined;
} & { readonly [name: string]: string | undefined };

const knownParts = ['year', 'month', 'day', 'date', 'time', 'zone'] as const;
type KnownPart = (typeof knownParts)[number];
const timeParts: ReadonlySet<string> = new Set(knownParts);

/** Whether a group makes the time of a record that has one, so that it is no field. */
export function isTimePart(name: string, { date }: Groups, isTable: boolean): boolean {
  if (!isTable || name === 'timestamp') return name === 'timestamp' || timeParts.has(name);
  return date !== undefined && (name === 'date' || name === 'time');
}

const monthNames = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

const isUtc = /(?:Z|UTC|GMT)$/;
const fraction = /^(.*\d)[.,](\d{1,6})\d*$/;
const iso =
  /^(\d{4})[-/](\d\d)[-/](\d\d)[T ]([\d:]+(?:[.,]\d+)?) ?(?:Z|UTC|GMT)?([+-]\d\d:?\d\d)?$/;

/** What is known of a record besides its groups. */
export interface TimeFacts {
  /** When its file was last written, in milliseconds since 1970. */
  readonly writtenMs: number;
  /** The offset of a time without one; empty if it gets one later. By default it is UTC. */
  readonly offset?: '' | 'Z';
}

/**
 * The time of a record, as an ISO 8601 text or as it is written; undefined if there is none. Without
 * a year it is the latest one in which the time is not more than a day after the file was written.
 * @param isTable whether only `timestamp`, or `date` with `time`, make it: other columns may have any name
 */
export function recordTime(
  groups: Groups,
  { writtenMs, offset: usual = 'Z' }: TimeFacts,
  isTable = false,
): string | undefined {
  const { date, month, time = '' } = groups;
  const { timestamp = date && time && `${date} ${time}` } = groups;
  if (timestamp !== undefined) return isoTime(timestamp, usual);
  if (isTable || (month === undefined && time === '')) return undefined;
  if (month === undefined) return `${timeOfDay(shortened(time), writtenMs)}${usual}`;
  return dayTime(groups, month, { writtenMs, offset: usual });
}

/** A time that is written like one of ISO 8601, as such; any other as it is written. */
function isoTime(timestamp: string, usual: string): string {
  const [, year, month = '', day = '', clock = '', offset = ''] = iso.exec(timestamp) ?? [];
  const written = offset || (isUtc.test(timestamp) ? 'Z' : usual);
  return year === undefined ? timestamp : `${year}-${month}-${day}T${shortened(clock)}${written}`;
}

function dayTime(
  { year, day = '', time = '', zone = '' }: Groups,
  month: string,
  { writtenMs, offset }: Required<TimeFacts>,
): string {
  const number = Number(month) || 1 + monthNames.indexOf(month.toLowerCase().slice(0, 3));
  const inYear = `${pad(number)}-${pad(Number(day))}T${shortened(time)}`;
  const named = zone === '' ? offset : 'Z';
  const at = (full: number) => `${full}-${inYear}${/^[+-]/.test(zone) ? zone : named}`;
  if (year !== undefined) return at(Number(year) + (year.length === 2 ? 2000 : 0));
  const next = new Date(writtenMs).getUTCFullYear() + 1;
  const isPast = (full: number) => Date.parse(`${full}-${inYear}Z`) <= writtenMs + dayMs;
  return at([next, next - 1].find(isPast) ?? next - 2);
}

/** A time without a date is the last one before the file was written. */
function timeOfDay(time: string, writtenMs: number): string {
  const at = (ms: number) => `${new Date(ms).toISOString().slice(0, 10)}T${time}`;
  const today = at(writtenMs);
  return Date.parse(`${today}Z`) <= writtenMs ? today : at(writtenMs - dayMs);
}

const dayMs = 86_400_000;

function pad(number: number): string {
  return String(number).padStart(2, '0');
}

/** A time of day with a point before its fraction, and at most microseconds. */
function shortened(time: string): string {
  return time.replace(fraction, '$1.$2');
}
