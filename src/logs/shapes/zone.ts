import { type Line, ownValue, remembered } from './member.js';

/** Adds its offset to a local time, `2026-03-10T12:00:00`. */
export type InZone = (clock: string) => string;

/** Marks a local time as UTC. */
export const inUtc: InZone = (clock) => `${clock}Z`;

/**
 * The offsets of usual abbreviations. One that means several zones has none (IST: India, Ireland, Israel), except those
 * of RFC 2822, such as CST.
 */
const abbreviations: Readonly<Record<string, string>> = Object.fromEntries(
  `UTC+00:00 GMT+00:00 WET+00:00 CET+01:00 BST+01:00 MET+01:00 WEST+01:00 CEST+02:00 EET+02:00 MEST+02:00 SAST+02:00
  EEST+03:00 MSK+03:00 IST WIB+07:00 AWST+08:00 HKT+08:00 SGT+08:00 JST+09:00 KST+09:00 ACST+09:30 AEST+10:00
  ACDT+10:30 AEDT+11:00 NZST+12:00 NZDT+13:00 NDT-02:30 ADT-03:00 NST-03:30 EDT-04:00 CDT-05:00 EST-05:00
  CST-06:00 MDT-06:00 MST-07:00 PDT-07:00 AKDT-08:00 PST-08:00 AKST-09:00 HST-10:00`
    .split(/\s+/)
    .map((text) => [text.replace(/[+-].*/, ''), /[+-].*/.exec(text)?.[0] ?? '']),
);

/** The abbreviations of zones that are read. */
export const zoneNames: readonly string[] = Object.keys(abbreviations);

/**
 * Adds an offset to a local time by its zone as written: an offset, an abbreviation or a name. An unknown one counts as
 * none.
 */
export function addZone(clock: string, zone: string, inZone: InZone): string {
  if (/^[+-]\d\d(?::?\d\d)?$/.test(zone)) return `${clock}${zone}${zone.length === 3 ? ':00' : ''}`;
  const offset = zone === 'Z' ? zone : ownValue(abbreviations, zone);
  if (offset) return `${clock}${offset}`;
  return namedZones.has(zone) ? namedZone(zone)(clock) : inZone(clock);
}

const namedZones = new Set(Intl.supportedValuesOf('timeZone'));
const namedZone = remembered(createInZone);

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
