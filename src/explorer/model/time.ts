import type { Parameter } from '../../endpoint/endpoint.js';
import { type PageState, timeWindows } from './page-state.js';

/** The zone in which times are shown: the browser's, or UTC. */
export type Zone = 'local' | 'utc';

/**
 * Prints microseconds since 1970 as `2026-03-10 12:00:00.123`; more digits if they are not zero and `precise` is set.
 */
export function printMicros(micros: number | bigint, zone: Zone, precise = false): string {
  const whole = BigInt(micros);
  const rest = ((whole % 1000n) + 1000n) % 1000n;
  const date = new Date(Number((whole - rest) / 1000n));
  if (Number.isNaN(date.getTime())) return String(micros);
  const text = new Date(zoneMillis(date.getTime(), zone)).toISOString();
  const digits = precise && rest !== 0n ? String(rest).padStart(3, '0') : '';
  return `${text.slice(0, -1).replace('T', ' ')}${digits}`;
}

/** Returns the local time in a zone, in milliseconds. */
export function zoneMillis(ms: number, zone: Zone): number {
  return zone === 'utc' ? ms : ms - new Date(ms).getTimezoneOffset() * 60_000;
}

/** Returns the milliseconds since 1970 of a DATETIME, DATE or TIMESTAMP value; undefined for anything else. */
export function valueMillis(value: unknown): number | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value) / 1000;
  if (typeof value !== 'string') return undefined;
  const text = /^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00:00Z` : `${value}Z`;
  const millis = Date.parse(text);
  return Number.isNaN(millis) ? undefined : millis;
}

/** The two parameters that bound a time range. */
export interface TimeRange {
  readonly start: string;
  readonly end: string;
}

/** Finds the two timestamp parameters whose names differ in `start` and `end`. */
export function findTimeRange(parameters: readonly Parameter[]): TimeRange | undefined {
  const names = parameters.filter(({ type }) => type === 'timestamp').map(({ name }) => name);
  for (const start of names) {
    const end = start.replace('start', 'end');
    if (end !== start && names.includes(end)) return { start, end };
  }
  return undefined;
}

/** Whether values bound a time range. */
export function hasBounds(values: PageState['values'], { start, end }: TimeRange): boolean {
  return [start, end].some((name) => (values[name] ?? '') !== '');
}

/** Prints the time of a page: `Last hour`, `All time`, or `03-10 10:00 – 11:00`. */
export function printRange({ values, window }: PageState, range: TimeRange, zone: Zone): string {
  if (window !== '') return timeWindows[window].title;
  if (!hasBounds(values, range)) return 'All time';
  const [from = '', to = ''] = [range.start, range.end].map((name) =>
    toInput(values[name] ?? '', zone)
      .replace('T', ' ')
      .slice(5, 16),
  );
  const isSameDay = from.slice(0, 5) === to.slice(0, 5);
  return `${from || 'the first'} – ${(isSameDay ? to.slice(6) : to) || 'now'}`;
}

/** Returns the values to send: a window that ends now becomes its start. `nowMs` is the server's clock. */
export function valuesToSend(
  { values, window }: Pick<PageState, 'values' | 'window'>,
  parameters: readonly Parameter[],
  nowMs: number,
): Readonly<Record<string, string>> {
  const declared = parameters.map(({ name }) => [name, values[name] ?? ''] as const);
  const range = findTimeRange(parameters);
  const ofWindow =
    range === undefined || window === ''
      ? {}
      : { [range.start]: new Date(nowMs - timeWindows[window].ms).toISOString(), [range.end]: '' };
  const all = { ...Object.fromEntries(declared), ...ofWindow };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
}

/** Parses a time, in UTC if it names no zone. */
function parseInstant(iso: string): Date {
  return new Date(/(?:Z|[+-]\d\d:?\d\d)$/.test(iso) ? iso : `${iso}Z`);
}

/** Converts an ISO time to the text of a `datetime-local` input, to the nearest second. */
export function toInput(iso: string, zone: Zone): string {
  const date = parseInstant(iso);
  if (Number.isNaN(date.getTime())) return '';
  const wholeMs = Math.round(date.getTime() / 1000) * 1000;
  return new Date(zoneMillis(wholeMs, zone)).toISOString().slice(0, 19);
}

/** Converts the text of a `datetime-local` input to an ISO time. */
export function fromInput(text: string, zone: Zone): string {
  if (text === '') return '';
  const date = new Date(zone === 'utc' ? `${text}Z` : text);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().replace('.000Z', 'Z');
}

/** Prints microseconds since 1970 as `2026-03-10T12:00:00.000001Z`. */
export function printIso(micros: number | bigint): string {
  return `${printMicros(micros, 'utc', true).replace(' ', 'T')}Z`;
}

/** Returns the microseconds since 1970 of an ISO time; undefined for anything else. */
function parseMicros(iso: string): number | undefined {
  const ms = parseInstant(iso).getTime();
  const [, digits = ''] = /\.\d{3}(\d{1,3})/.exec(iso) ?? [];
  return Number.isNaN(ms) ? undefined : ms * 1000 + Number(digits.padEnd(3, '0'));
}

/** Returns the time range of a page in milliseconds since 1970, both ends inclusive; an open end is undefined. */
export function pageStretch(
  { values, window }: Pick<PageState, 'values' | 'window'>,
  parameters: readonly Parameter[],
  nowMs: number,
) {
  if (window !== '') return { fromMs: nowMs - timeWindows[window].ms, toMs: nowMs };
  const range = findTimeRange(parameters);
  const [start, end] = [range?.start, range?.end].map((name) =>
    parseMicros(values[name ?? ''] ?? ''),
  );
  // The start of a range is exclusive.
  const fromMs = start === undefined ? undefined : (start + 1) / 1000;
  return { fromMs, toMs: end === undefined ? undefined : end / 1000 };
}
