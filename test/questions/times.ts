/** Lengths of time in microseconds. */
export const second = 1e6;
export const minute = 60 * second;
export const hour = 60 * minute;
export const day = 24 * hour;

/** The start of the span of a length in which an instant lies, in UTC. */
export function floorTo(at: number, length: number): number {
  return Math.floor(at / length) * length;
}

/** The start of the week in which an instant lies. @param firstDay 0 is Sunday */
export function startOfWeek(at: number, firstDay = 0): number {
  const today = floorTo(at, day);
  return today - ((weekday(at) - firstDay + 7) % 7) * day;
}

/** The day of the week in UTC; 0 is Sunday. */
export function weekday(at: number): number {
  return new Date(at / 1000).getUTCDay();
}

/** The hour of the day in UTC. */
export function hourOfDay(at: number): number {
  return Math.floor((at % day) / hour);
}

/** `2026-03-10` */
export function date(at: number): string {
  return iso(at).slice(0, 10);
}

/** `12:34:56` */
export function time(at: number): string {
  return iso(at).slice(11, 19);
}

/** `2026-03-10T12:34:56.789Z`: milliseconds, cut. */
export function iso(at: number): string {
  return new Date(Math.floor(at / 1000)).toISOString();
}

/** Unix microseconds of an ISO 8601 text of up to six digits of a second's fraction. */
export function micros(text: string): number {
  const [, fraction = ''] = /\.(\d+)/.exec(text) ?? [];
  const rest = Number(fraction.padEnd(6, '0').slice(3, 6));
  return Date.parse(text) * 1000 + rest;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The clock of a time zone at an instant: the micros of a UTC clock that shows the same. */
export function local(at: number, timeZone: string): number {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('sv', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
  formats.set(timeZone, format);
  const shown = format.format(Math.floor(at / 1000)).replace(' ', 'T');
  return Date.parse(`${shown}Z`) * 1000 + (at % second);
}
