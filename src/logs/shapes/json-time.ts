import { ignoreErrors } from '../../process/ignore-errors.js';
import { type Line, remembered } from './member.js';
import { createInZone } from './zone.js';

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** The beginning of a number, or of a string that begins with a year. */
const usual = /^(?:"\d{4}-|-?[1-9])/;

/**
 * Reads a time in one of the forms that programs write in JSON, as a number or in ISO 8601; any other scalar stays as
 * it is. Undefined for a record that is no time, and for 0, which means none.
 */
export function readJsonTime(raw: Line): Line | undefined {
  if (usual.test(raw)) return raw;
  if (/^"?0"?$/.test(raw)) return undefined;
  if (/^[[{]/.test(raw)) return timeInRecord(ignoreErrors((): unknown => JSON.parse(raw)));
  for (const [form, print] of forms) {
    const [, ...parts] = form.exec(raw) ?? [];
    const time = parts.length === 0 ? undefined : print(parts);
    if (time !== undefined) return time;
  }
  return raw;
}

/** Forms of times, and how their parts become JSON. */
const forms: readonly (readonly [RegExp, (parts: readonly string[]) => Line | undefined])[] = [
  // .NET: "\/Date(1773144000123)\/"
  [/^"\\?\/Date\((\d+)(?:[+-]\d{4})?\)\\?\/"$/, ([ms]) => ms],
  // Access logs: "10/Mar/2026:12:00:00 +0100"
  [
    /^"(\d\d)\/([A-Z][a-z]{2})\/(\d{4}):(\d\d:\d\d:\d\d(?:\.\d+)?)(?: ([+-]\d{4}))?"$/,
    ([day = '', month = '', year = '', clock = '', offset = '+0000']) =>
      isoText([year, month, day], clock, offset),
  ],
  // RFC 1123: "Tue, 10 Mar 2026 12:00:00 GMT"
  [
    /^"[A-Z][a-z]{2}, (\d\d?) ([A-Z][a-z]{2}) (\d{4}) (\d\d:\d\d:\d\d) (?:GMT|UTC|([+-]\d{4}))"$/,
    ([day = '', month = '', year = '', clock = '', offset = '+0000']) =>
      isoText([year, month, day], clock, offset),
  ],
];

function isoText(
  [year = '', month = '', day = '']: readonly string[],
  clock: string,
  offset: string,
): Line | undefined {
  const number = 1 + months.indexOf(month);
  if (number === 0) return undefined;
  const date = [year, String(number).padStart(2, '0'), day.padStart(2, '0')].join('-');
  return `"${date}T${clock}${offset.slice(0, 3)}:${offset.slice(3)}"`;
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
  if (day === undefined) return undefined;
  const zone = text('timezone') || 'UTC';
  const local = `${day}T${clock}`;
  return JSON.stringify(/^[+-]/.test(zone) ? `${local}${zone}` : zoneOf(zone)(local));
}

/** Adds the offset of a named zone; UTC for a name that is not known. */
const zoneOf = remembered((zone) => ignoreErrors(() => createInZone(zone)) ?? createInZone('UTC'));
