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

function timeInRecord(value: unknown): Line | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const parts = new Map(Object.entries(value));
  const text = (name: string) => String(parts.get(name) ?? '');
  // MongoDB: {"$date":"2026-03-10T12:00:00.123Z"}, {"$date":{"$numberLong":"1773144000123"}}
  const inner = parts.get('$date');
  if (typeof inner === 'string' || typeof inner === 'number') return JSON.stringify(inner);
  if (parts.has('$numberLong')) return text('$numberLong');
  if (inner !== undefined) return timeInRecord(inner);
  // Google Cloud and log4j
  const seconds = text('seconds') || text('epochSecond');
  const nanos = text('nanos') || text('nanoOfSecond') || '0';
  if (/^\d{1,11}:\d{1,9}$/.test(`${seconds}:${nanos}`))
    return `${seconds}${nanos.padStart(9, '0')}`;
  // PHP: {"date":"2026-03-10 12:00:00.123456","timezone_type":3,"timezone":"Europe/Paris"}
  const [, day, clock] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)$/.exec(text('date')) ?? [];
  const local = day && `${day}T${clock}`;
  const zone = text('timezone');
  return local && JSON.stringify(zone === '' ? local : addZone(local, zone, inUtc));
}
