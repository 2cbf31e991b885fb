const shape =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2})(?::(\d{2})(?:\.(\d{1,6}))?)?(?:[Zz]|([+-])(\d{2}):?(\d{2})?)?)?$/;

const earliest = Date.parse('0001-01-01T00:00:00Z');
const latest = Date.parse('9999-12-31T23:59:59Z');

/**
 * Parses an ISO 8601 time: a date, or a date and a time separated by `T` or a space, with an optional fraction to the
 * microsecond, and with `Z`, an offset, or nothing for UTC.
 * @returns `YYYY-MM-DDTHH:MM:SS.ffffff+00:00`, or undefined for anything else, including days and hours that do not
 * exist and years outside 1 to 9999
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/data-types#timestamp_type
 */
export function parseTimestamp(text: string): string | undefined {
  const match = shape.exec(text);
  if (match === null) return undefined;
  const [, date = '', time = '00:00', second = '00', fraction = '', sign, hours, minutes] = match;
  const local = readLocal(`${date}T${time}:${second}`);
  const offset = readOffsetMs(sign, hours, minutes);
  if (local === undefined || offset === undefined) return undefined;
  const utc = local - offset;
  if (utc < earliest || utc > latest) return undefined;
  return `${new Date(utc).toISOString().slice(0, 19)}.${fraction.padEnd(6, '0')}+00:00`;
}

/** Parses a day, `YYYY-MM-DD`; undefined for anything else, including days that do not exist. */
export function parseDate(text: string): string | undefined {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && parseTimestamp(text) !== undefined ? text : undefined;
}

/** Prints a time, in milliseconds since 1970, in the format of {@link parseTimestamp}. */
export function printTimestamp(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('Z', '000+00:00');
}

// Date.parse turns 30 February into 2 March: a day exists only if it prints as it was written.
function readLocal(text: string): number | undefined {
  const milliseconds = Date.parse(`${text}Z`);
  if (Number.isNaN(milliseconds)) return undefined;
  return new Date(milliseconds).toISOString().startsWith(text) ? milliseconds : undefined;
}

function readOffsetMs(sign = '+', hours = '00', minutes = '00'): number | undefined {
  const total = Number(hours) * 60 + Number(minutes);
  if (Number(minutes) > 59 || total > 14 * 60) return undefined;
  return (sign === '-' ? -total : total) * 60_000;
}
