import type { Line } from './member.js';

/** An ISO 8601 time without an offset, as a string of JSON. */
const wallClock = /^"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(:\d\d(?:[.,]\d+)?)?"$/;

/** How many offsets are remembered: each is that of a minute. */
const maxOffsets = 10_000;

/**
 * Creates a function that adds the offset of a time zone to a time without one, as JSON; any other value stays as it is. Of two
 * times with the same clock it is the earlier one.
 * @param zone a name of the IANA time zone database
 */
export function createZoneWriter(zone: string): (time: Line) => Line {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  const offsets = new Map<string, string>();
  return (time) => {
    const [, day, minute, second = ':00'] = wallClock.exec(time) ?? [];
    if (day === undefined) return time;
    const at = `${day}T${minute}`;
    const offset = offsets.get(at) ?? findOffset(format, at);
    if (offsets.size === maxOffsets) offsets.clear();
    offsets.set(at, offset);
    return `"${at}${second.replace(',', '.')}${offset}"`;
  };
}

/** The offset that the zone has at this clock: that of a day before, if the clock then shows this time. */
function findOffset(format: Intl.DateTimeFormat, at: string): string {
  const utcMs = Date.parse(`${at}Z`);
  if (Number.isNaN(utcMs)) return 'Z';
  const [before, after] = [-dayMs, dayMs].map((ms) => offsetAt(format, utcMs + ms));
  const isBefore = offsetAt(format, Date.parse(`${at}${before}`)) === before;
  return (isBefore ? before : after) ?? 'Z';
}

const dayMs = 86_400_000;

/** `GMT+02:00` -> `+02:00` */
function offsetAt(format: Intl.DateTimeFormat, ms: number): string {
  const name = format.formatToParts(ms).find(({ type }) => type === 'timeZoneName')?.value;
  return name?.slice('GMT'.length) || 'Z';
}
