import type { Line } from './member.js';

/** Gives a clock's time, `2026-03-10T12:00:00`, the offset that it has. */
export type InZone = (clock: string) => string;

/** A clock's time in UTC. */
export const inUtc: InZone = (clock) => `${clock}Z`;

/** How many offsets are remembered: each is that of a minute. */
const maxOffsets = 10_000;

/**
 * Creates a function that gives a time the offset of a time zone. Of two times with the same clock it is the earlier one.
 * @param zone a name of the IANA time zone database
 */
export function createInZone(zone: string): InZone {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  const offsets = new Map<string, string>();
  return (clock) => {
    const minute = clock.slice(0, 16);
    const offset = offsets.get(minute) ?? findOffset(format, minute);
    if (offsets.size === maxOffsets) offsets.clear();
    offsets.set(minute, offset);
    return `${clock}${offset}`;
  };
}

/** The offset that the zone has at this clock: that of a day before, if the clock then shows this time. */
function findOffset(format: Intl.DateTimeFormat, minute: string): string {
  const utcMs = Date.parse(`${minute}Z`);
  if (Number.isNaN(utcMs)) return 'Z';
  const [before = 'Z', after = 'Z'] = [-dayMs, dayMs].map((ms) => offsetAt(format, utcMs + ms));
  return offsetAt(format, Date.parse(`${minute}${before}`)) === before ? before : after;
}

const dayMs = 86_400_000;

/** `GMT+02:00` -> `+02:00`; before there were zones, an offset had seconds, which are left out. */
function offsetAt(format: Intl.DateTimeFormat, ms: number): string {
  const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value;
  return name?.slice('GMT'.length, 'GMT+02:00'.length) || 'Z';
}

const extended =
  /^"(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt ](\d{1,2}):(\d\d)(?::(\d\d(?:[.,]\d+)?))?)?"$/;
const basic = /^"(\d{4})(\d\d)(\d\d)[Tt](\d\d)(\d\d)(\d\d(?:[.,]\d+)?)?"$/;

/** A time of ISO 8601 without an offset, as JSON, in its zone; any other value as it is. */
export function jsonInZone(time: Line, inZone: InZone): Line {
  const [, year, month, day, hour = '00', minute = '00', second = '00'] =
    extended.exec(time) ?? basic.exec(time) ?? [];
  if (year === undefined) return time;
  const pad = (text = '') => text.padStart(2, '0');
  const clock = `${pad(hour)}:${minute}:${second.replace(',', '.')}`;
  return `"${inZone(`${year}-${pad(month)}-${pad(day)}T${clock}`)}"`;
}
