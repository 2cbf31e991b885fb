import { instantOf, readZone } from './time-zone.js';

const date = String.raw`(\d{4})-(\d{1,2})-(\d{1,2})`;
const time = String.raw`(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{0,6}))?`;
const zone = String.raw`(?:[ ]?(Z|UTC|[-+]\d{1,2}(?::?\d{2})?)|[ ]([a-z][\w/+-]*))`;

const timestampForm = new RegExp(`^${date}(?:[ T]${time})?(?:${zone})?$`, 'i');
const timeForm = new RegExp(`^${time}$`);

/**
 * A TIMESTAMP's text in UTC, `YYYY-MM-DD HH:MM:SS.ffffff+00:00`; without a zone it is UTC.
 * Undefined where the text is none.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types#canonical_format_for_timestamp_literals
 */
export function readTimestamp(text: string): string | undefined {
  const parts = timestampForm.exec(text);
  const civil = parts && readCivil(parts);
  const named = readZone(parts?.[8] ?? parts?.[9] ?? 'Z');
  if (!civil || named === undefined) return undefined;
  const instant = new Date(instantOf(civil.milliseconds, named));
  const year = instant.getUTCFullYear();
  if (year < 1 || year > 9999) return undefined;
  return `${printCivil(instant)}.${civil.micros}+00:00`;
}

/** A DATETIME's text, `YYYY-MM-DD HH:MM:SS.ffffff`; a zone is refused. */
export function readDateTime(text: string): string | undefined {
  const parts = timestampForm.exec(text);
  const civil = parts && !hasZone(parts) ? readCivil(parts) : undefined;
  return civil && `${printCivil(new Date(civil.milliseconds))}.${civil.micros}`;
}

/** A DATE's text, `YYYY-MM-DD`. */
export function readDate(text: string): string | undefined {
  const parts = timestampForm.exec(text);
  const civil = parts && parts[4] === undefined && !hasZone(parts) ? readCivil(parts) : undefined;
  return civil && printCivil(new Date(civil.milliseconds)).slice(0, 10);
}

/** A TIME's text, `HH:MM:SS.ffffff`. */
export function readTime(text: string): string | undefined {
  const parts = timeForm.exec(text);
  if (parts === null) return undefined;
  const [, hour = '', minute = '', second = '', fraction = ''] = parts;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return undefined;
  const clock = [hour, minute, second].map((part) => part.padStart(2, '0')).join(':');
  return `${clock}.${fraction.padEnd(6, '0')}`;
}

/** Wall-clock milliseconds since 1970, and the six digits behind the second. */
function readCivil(parts: readonly (string | undefined)[]) {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const instant = new Date(0);
  instant.setUTCFullYear(year, month - 1, day);
  const isRealDay = instant.getUTCMonth() === month - 1 && instant.getUTCDate() === day;
  if (!isRealDay || year < 1 || hour > 23 || minute > 59 || second > 59) return undefined;
  instant.setUTCHours(hour, minute, second);
  return { milliseconds: instant.getTime(), micros: (parts[7] ?? '').padEnd(6, '0') };
}

function hasZone(parts: readonly (string | undefined)[]): boolean {
  return parts[8] !== undefined || parts[9] !== undefined;
}

function printCivil(instant: Date): string {
  const year = String(instant.getUTCFullYear()).padStart(4, '0');
  return `${year}-${instant.toISOString().slice(-19, -5).replace('T', ' ')}`;
}
