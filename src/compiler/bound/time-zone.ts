/** A time zone: a name of the IANA database, or an offset in minutes east of UTC. */
export type TimeZone = { readonly name: string } | { readonly minutes: number };

/** The three-letter names in the IANA database; the engine would accept others, which BigQuery refuses. */
const shortNames: ReadonlySet<string> = new Set(
  'UTC GMT EST MST HST CET EET MET WET PRC ROC ROK UCT'.split(' '),
);

/**
 * Parses a time zone: `America/New_York`, `+05:30`, `-8`, `UTC+3`. Undefined if there is no such zone.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/timestamp_functions#timezone_definitions
 */
export function parseTimeZone(text: string): TimeZone | undefined {
  if (/^(z|utc)$/i.test(text)) return { minutes: 0 };
  const minutes = parseOffset(text.replace(/^UTC(?=[-+])/, ''));
  if (minutes !== undefined) return { minutes };
  if (!/^[A-Za-z][\w/+-]*$/.test(text)) return undefined;
  if (text.length === 3 && !shortNames.has(text.toUpperCase())) return undefined;
  return zoneFormatter(text) && { name: text };
}

/**
 * The instant at which a zone's clock shows a civil time, both in milliseconds since 1970; the earlier
 * one if there are two.
 */
export function civilToInstant(civil: number, zone: TimeZone): number {
  if ('minutes' in zone) return civil - zone.minutes * 60_000;
  const formatter = zoneFormatter(zone.name);
  if (formatter === undefined) return civil;
  const day = 86_400_000;
  const before = offsetAt(civil - day, formatter);
  const after = offsetAt(civil + day, formatter);
  if (offsetAt(civil - before, formatter) === before) return civil - before;
  return offsetAt(civil - after, formatter) === after ? civil - after : civil - before;
}

function parseOffset(text: string): number | undefined {
  const [, sign, hours, minutes = '0'] = /^([-+])(\d{1,2}?)(?::?(\d{2}))?$/.exec(text) ?? [];
  const total = Number(hours) * 60 + Number(minutes);
  if (Number.isNaN(total) || total > 14 * 60 || Number(minutes) > 59) return undefined;
  return sign === '-' ? -total : total;
}

/**
 * Cached by zone name in lower case, because creating a formatter takes 100 times as long as using it.
 * ICU knows about 600 zones; each formatter takes about 40 KB.
 */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** The formatter of a zone; undefined if ICU does not know the zone. */
function zoneFormatter(timeZone: string): Intl.DateTimeFormat | undefined {
  const key = timeZone.toLowerCase();
  const cached = formatters.get(key);
  if (cached !== undefined) return cached;
  try {
    const formatter = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
    formatters.set(key, formatter);
    return formatter;
  } catch {
    return undefined;
  }
}

/** The offset of a zone's clock from UTC at an instant, in milliseconds, parsed from `GMT-00:44:30`; 0 for `GMT`. */
function offsetAt(instant: number, formatter: Intl.DateTimeFormat): number {
  const parts = formatter.formatToParts(instant);
  const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [hours = 0, minutes = 0, seconds = 0] = name.match(/\d+/g)?.map(Number) ?? [];
  const size = ((hours * 60 + minutes) * 60 + seconds) * 1000;
  return name.includes('-') ? -size : size;
}
