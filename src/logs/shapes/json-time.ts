import { ignoreErrors } from '../../process/ignore-errors.js';
import { decodeLine, type Line, quotedMember } from './member.js';
import { addZone, inUtc } from './zone.js';

/** .NET's `"\/Date(1773144000123)\/"`. */
const dotNet = /^"\\?\/Date\((\d{1,15})(?:[+-]\d{4})?\)\\?\/"$/;

/**
 * Reads a time that programs write in JSON as a record, or .NET's; any other scalar stays as it is. Undefined for a
 * record that is no time, and for 0, which means none.
 */
export function readJsonTime(raw: Line): Line | undefined {
  if (/^"?0"?$/.test(raw)) return undefined;
  if (/^[[{]/.test(raw)) return timeInRecord(ignoreErrors(() => JSON.parse(decodeLine(raw))));
  const [, ms] = dotNet.exec(raw) ?? [];
  return ms === undefined ? raw : wholeNumber(ms);
}

function timeInRecord(record: unknown): Line | undefined {
  // MongoDB: {"$date":"2026-03-10T12:00:00.123Z"}, {"$date":{"$numberLong":"1773144000123"}}
  const date = scalarAt(record, '$date');
  if (date !== '') return quotedMember(date);
  const long = scalarAt(record, '$date', '$numberLong');
  if (long !== '') return wholeNumber(long);
  // Google Cloud and log4j
  const seconds = scalarAt(record, 'seconds') || scalarAt(record, 'epochSecond');
  const nanos = scalarAt(record, 'nanos') || scalarAt(record, 'nanoOfSecond') || '0';
  if (/^\d{1,10}:\d{1,9}$/.test(`${seconds}:${nanos}`))
    return wholeNumber(`${seconds}${nanos.padStart(9, '0')}`);
  // PHP: {"date":"2026-03-10 12:00:00.123456","timezone_type":3,"timezone":"Europe/Paris"}
  const local = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,9})?$/.exec(
    scalarAt(record, 'date'),
  )?.[0];
  const clock = local?.replace(' ', 'T');
  const zone = scalarAt(record, 'timezone');
  return clock && quotedMember(zone === '' ? clock : addZone(clock, zone, inUtc));
}

/** Returns a string or a number at a path as text; empty for any other value. */
function scalarAt(value: unknown, ...[name, ...path]: readonly string[]): string {
  if (name === undefined) return ['string', 'number'].includes(typeof value) ? String(value) : '';
  return scalarAt(Object.entries(Object(value)).find(([key]) => key === name)?.[1], ...path);
}

/** Returns digits as a number of JSON, which does not begin with 0. */
function wholeNumber(digits: string): Line | undefined {
  return /^\d{1,19}$/.test(digits) ? String(BigInt(digits)) : undefined;
}
