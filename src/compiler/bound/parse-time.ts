import { civilToInstant, parseTimeZone } from './time-zone.js';

const date = String.raw`(\d{4})-(\d{1,2})-(\d{1,2})`;
const time = String.raw`(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{0,6}))?`;
const zone = String.raw`(?:[ ]?(Z|UTC|[-+]\d{1,2}(?::?\d{2})?)|[ ]([a-z][\w/+-]*))`;

const timestampForm = new RegExp(`^${date}(?:[ T]${time})?(?:${zone})?$`, 'i');
const timeForm = new RegExp(`^${time}$`);

/**
 * Parses a TIMESTAMP, in UTC unless it has a zone, into `YYYY-MM-DD HH:MM:SS.ffffff+00:00`.
 * Returns undefined if the string is not a timestamp.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types#canonical_format_for_timestamp_literals
 */
export function parseTimestampLiteral(text: string): string | undefined {
  const parts = timestampForm.exec(text);
  const civil = parts && parseCivil(parts);
  const timeZone = parseTimeZone(parts?.[8] ?? parts?.[9] ?? 'Z');
  if (!civil || timeZone === undefined) return undefined;
  const instant = new Date(civilToInstant(civil.milliseconds, timeZone));
  const year = instant.getUTCFullYear();
  if (year < 1 || year > 9999) return undefined;
  return `${printCivil(instant)}.${civil.micros}+00:00`;
}

/** Parses a DATETIME, which has no zone, into `YYYY-MM-DD HH:MM:SS.ffffff`; undefined if invalid. */
export function parseDateTime(text: string): string | undefined {
  const parts = timestampForm.exec(text);
  const civil = parts && !hasZone(parts) ? parseCivil(parts) : undefined;
  const instant = new Date(civil?.milliseconds ?? 0);
  if (civil === undefined || instant.getUTCFullYear() > 9999) return undefined;
  return `${printCivil(instant)}.${civil.micros}`;
}

/** Parses a DATE into `YYYY-MM-DD`; undefined if invalid. */
export function parseDateLiteral(text: string): string | undefined {
  const parts = timestampForm.exec(text);
  const civil = parts && parts[4] === undefined && !hasZone(parts) ? parseCivil(parts) : undefined;
  return civil && printCivil(new Date(civil.milliseconds)).slice(0, 10);
}

const bounds = {
  DATE: parseDateLiteral,
  DATETIME: parseDateTime,
  TIMESTAMP: parseTimestampLiteral,
};

/** Parses a RANGE of an element type into `[start, end)`, with UNBOUNDED for an open bound; undefined if invalid. */
export function parseRange(text: string, element: keyof typeof bounds): string | undefined {
  const [, ...parts] = /^\[([^,]*), ([^,]*)\)$/.exec(text) ?? [];
  const read = (part: string) =>
    /^(?:unbounded|null)$/i.test(part) ? 'UNBOUNDED' : bounds[element](part);
  const [start, end] = parts.map(read);
  if (start === undefined || end === undefined) return undefined;
  // As text, UNBOUNDED is greater than any date, so only the start needs a test.
  const isOrdered = start === 'UNBOUNDED' || start < end;
  return isOrdered ? `[${start}, ${end})` : undefined;
}

/** Parses a TIME into `HH:MM:SS.ffffff`; undefined if invalid. */
export function parseTimeLiteral(text: string): string | undefined {
  const parts = timeForm.exec(text);
  if (parts === null) return undefined;
  const civil = parseCivil([text, '1970', '1', '1', ...parts.slice(1)]);
  return civil && `${printCivil(new Date(civil.milliseconds)).slice(11)}.${civil.micros}`;
}

/**
 * Milliseconds since 1970 on a clock without a zone, and the six digits of the microseconds. A leap
 * second, `:60`, is the start of the next minute.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types#leap_seconds
 */
function parseCivil(parts: readonly (string | undefined)[]) {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const instant = new Date(0);
  instant.setUTCFullYear(year, month - 1, day);
  const isRealDay = instant.getUTCMonth() === month - 1 && instant.getUTCDate() === day;
  if (!isRealDay || year < 1 || hour > 23 || minute > 59 || second > 60) return undefined;
  instant.setUTCHours(hour, minute, second);
  const fraction = second === 60 ? '' : (parts[7] ?? '');
  return { milliseconds: instant.getTime(), micros: fraction.padEnd(6, '0') };
}

function hasZone(parts: readonly (string | undefined)[]): boolean {
  return parts[8] !== undefined || parts[9] !== undefined;
}

function printCivil(instant: Date): string {
  const year = String(instant.getUTCFullYear()).padStart(4, '0');
  return `${year}-${instant.toISOString().slice(-19, -5).replace('T', ' ')}`;
}
