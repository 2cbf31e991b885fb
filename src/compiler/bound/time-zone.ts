/** A time zone that a text names: the name of the IANA database, or minutes east of UTC. */
export type Zone = { readonly name: string } | { readonly minutes: number };

/** Three letters that are zones in the IANA database; the engine knows more, which BigQuery refuses. */
const shortNames: ReadonlySet<string> = new Set(
  'UTC GMT EST MST HST CET EET MET WET PRC ROC ROK UCT'.split(' '),
);

/**
 * A zone by its text: `America/New_York`, `+05:30`, `-8`, `UTC+3`. Undefined where there is none.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/timestamp_functions#timezone_definitions
 */
export function readZone(text: string): Zone | undefined {
  if (/^(z|utc)$/i.test(text)) return { minutes: 0 };
  const minutes = readOffset(text.replace(/^UTC(?=[-+])/, ''));
  if (minutes !== undefined) return { minutes };
  if (!/^[A-Za-z][\w/+-]*$/.test(text)) return undefined;
  if (text.length === 3 && !shortNames.has(text.toUpperCase())) return undefined;
  return formatterOf(text) && { name: text };
}

/** Milliseconds since 1970 at which a zone's clock shows this; the first time where it does twice. */
export function instantOf(civil: number, zone: Zone): number {
  if ('minutes' in zone) return civil - zone.minutes * 60_000;
  const formatter = formatterOf(zone.name);
  if (formatter === undefined) return civil;
  const day = 86_400_000;
  const before = offsetAt(civil - day, formatter);
  const after = offsetAt(civil + day, formatter);
  if (offsetAt(civil - before, formatter) === before) return civil - before;
  return offsetAt(civil - after, formatter) === after ? civil - after : civil - before;
}

function readOffset(text: string): number | undefined {
  const [, sign, hours, minutes = '0'] = /^([-+])(\d{1,2}?)(?::?(\d{2}))?$/.exec(text) ?? [];
  const total = Number(hours) * 60 + Number(minutes);
  if (Number.isNaN(total) || total > 14 * 60 || Number(minutes) > 59) return undefined;
  return sign === '-' ? -total : total;
}

/**
 * A formatter takes 100 times as long to make as to use. The keys are names of zones in lower case, so
 * the ICU data bounds them: some 600, each with about 40 KB.
 */
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(timeZone: string): Intl.DateTimeFormat | undefined {
  const key = timeZone.toLowerCase();
  const known = formatters.get(key);
  if (known !== undefined) return known;
  const made = makeFormatter(timeZone);
  if (made !== undefined) formatters.set(key, made);
  return made;
}

/** Undefined where ICU knows no such zone. */
function makeFormatter(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch {
    return undefined;
  }
}

/** Milliseconds by which the zone's clock is ahead of UTC. */
function offsetAt(instant: number, formatter: Intl.DateTimeFormat): number {
  const parts = new Map(
    formatter.formatToParts(instant).map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  const shown = new Date(0);
  shown.setUTCFullYear(part('year'), part('month') - 1, part('day'));
  shown.setUTCHours(part('hour'), part('minute'), part('second'));
  return shown.getTime() - Math.floor(instant / 1000) * 1000;
}
