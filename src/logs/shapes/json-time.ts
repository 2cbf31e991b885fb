import { ignoreErrors } from '../../process/ignore-errors.js';
import type { Line } from './member.js';
import { addZone, inUtc } from './zone.js';

/** .NET's `"\/Date(1773144000123)\/"`. */
const dotNet = /^"\\?\/Date\((\d+)(?:[+-]\d{4})?\)\\?\/"$/;

/**
 * Reads a time that programs write in JSON as a record, or .NET's; any other scalar stays as it is. Undefined for a
 * record that is no time, and for 0, which means none.
 */
export function readJsonTime(raw: Line): Line | undefined {
  if (/^"?0"?$/.test(raw)) return undefined;
  if (/^[[{]/.test(raw)) return timeInRecord(ignoreErrors((): unknown => JSON.parse(raw)));
  return dotNet.exec(raw)?.[1] ?? raw;
}

/** Names of the parts of a time in seconds and nanoseconds, in logs of Google Cloud and log4j. */
const secondNames = [
  ['seconds', 'nanos'],
  ['epochSecond', 'nanoOfSecond'],
] as const;

function timeInRecord(value: unknown): Line | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const parts = new Map(Object.entries(value));
  const text = (name: string) => String(parts.get(name) ?? '');
  // MongoDB: {"$date":"2026-03-10T12:00:00.123Z"}, {"$date":{"$numberLong":"1773144000123"}}
  const inner = parts.get('$date');
  if (typeof inner === 'string' || typeof inner === 'number') return JSON.stringify(inner);
  if (parts.has('$numberLong')) return text('$numberLong');
  if (inner !== undefined) return timeInRecord(inner);
  for (const [seconds, nanos] of secondNames) {
    const [whole, rest] = [text(seconds), text(nanos) || '0'];
    if (/^\d{1,11}$/.test(whole) && /^\d{1,9}$/.test(rest))
      return `${whole}${rest.padStart(9, '0')}`;
  }
  // PHP: {"date":"2026-03-10 12:00:00.123456","timezone_type":3,"timezone":"Europe/Paris"}
  const [, day, clock] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)$/.exec(text('date')) ?? [];
  const local = day && `${day}T${clock}`;
  const zone = text('timezone');
  return local && JSON.stringify(zone === '' ? local : addZone(local, zone, inUtc));
}
