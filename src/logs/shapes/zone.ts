import { type Line, remembered } from './member.js';

/** Adds its offset to a local time, `2026-03-10T12:00:00`. */
export type InZone = (clock: string) => string;

/** Marks a local time as UTC. */
export const inUtc: InZone = (clock) => `${clock}Z`;

/**
 * Creates a function that adds a time zone's offset to a local time. A local time that occurs twice counts as the
 * earlier of the two instants.
 * @param zone a name of the IANA time zone database
 */
export function createInZone(zone: string): InZone {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  const minuteOffset = remembered((minute) => findOffset(format, minute));
  return (clock) => `${clock}${minuteOffset(clock.slice(0, 16))}`;
}

/** Returns the zone's offset at a local time: the offset of the day before, if it still applies. */
function findOffset(format: Intl.DateTimeFormat, minute: string): string {
  const utcMs = Date.parse(`${minute}Z`);
  if (Number.isNaN(utcMs)) return 'Z';
  const [before = 'Z', after = 'Z'] = [-dayMs, dayMs].map((ms) => offsetAt(format, utcMs + ms));
  return offsetAt(format, Date.parse(`${minute}${before}`)) === before ? before : after;
}

const dayMs = 86_400_000;

/** `GMT+02:00` -> `+02:00`; before time zones, offsets had seconds, which are dropped. */
function offsetAt(format: Intl.DateTimeFormat, ms: number): string {
  const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value;
  return name?.slice('GMT'.length, 'GMT+02:00'.length) || 'Z';
}

const extended =
  /^"(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt ](\d{1,2}):(\d\d)(?::(\d\d(?:[.,]\d+)?))?)?"$/;
const basic = /^"(\d{4})(\d\d)(\d\d)[Tt](\d\d)(\d\d)(\d\d(?:[.,]\d+)?)?"$/;

/** Returns an ISO 8601 time without an offset in its zone, as JSON; any other value unchanged. */
export function jsonInZone(time: Line, inZone: InZone): Line {
  const [, year, month, day, hour = '00', minute = '00', second = '00'] =
    extended.exec(time) ?? basic.exec(time) ?? [];
  if (year === undefined) return time;
  const pad = (text = '') => text.padStart(2, '0');
  const clock = `${pad(hour)}:${minute}:${second.replace(',', '.')}`;
  return `"${inZone(`${year}-${pad(month)}-${pad(day)}T${clock}`)}"`;
}
