import { byte } from './walk-scalar.js';

/**
 * Reads a timestamp in one of the common forms, an ISO 8601 date and time with up to six fractional
 * digits or an integer unix time, as microseconds since 1970. Undefined for all others, although
 * DuckDB may understand them. The result equals that of the macro `log_timestamp`.
 */
export function readMicros(bytes: Uint8Array, from: number, to: number): number | undefined {
  const micros =
    bytes[from] === byte.quote ? readIso(bytes, from + 1, to - 1) : readUnix(bytes, from, to);
  return Number.isSafeInteger(micros) ? micros : undefined;
}

/** Parses digits as a number; NaN if there are other bytes among them. */
function digits(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at++) {
    const digit = (bytes[at] ?? 0) - byte.zero;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = 10 * value + digit;
  }
  return value;
}

/**
 * Infers the unit from the magnitude, like the macro `log_unix`; NaN for nanoseconds, which would
 * lose digits.
 */
function readUnix(bytes: Uint8Array, from: number, to: number): number {
  const value = digits(bytes, from, to);
  if (value < 1e11) return value * 1e6;
  if (value < 1e14) return value * 1e3;
  return value < 1e17 ? value : Number.NaN;
}

/** Where the parts of a date and time begin, and where the seconds end. */
const layouts = {
  /** `2026-03-10T12:00:00` */
  extended: { month: 5, day: 8, hour: 11, minute: 14, second: 17, end: 19 },
  /** `20260310T120000` */
  basic: { month: 4, day: 6, hour: 9, minute: 11, second: 13, end: 15 },
} as const;

type Layout = (typeof layouts)[keyof typeof layouts];

const dayMicros = 86_400e6;

function readIso(bytes: Uint8Array, from: number, to: number): number {
  const layout = layoutOf(bytes, from);
  if (layout === undefined || to - from < layout.end) return Number.NaN;
  const two = (at: number) => digits(bytes, from + at, from + at + 2);
  const year = digits(bytes, from, from + 4);
  const [month, day] = [two(layout.month), two(layout.day)];
  const [hour, minute, second] = [two(layout.hour), two(layout.minute), two(layout.second)];
  // Date.UTC maps years below 100 to the twentieth century.
  const isDate = year >= 1000 && month >= 1 && month <= 12 && day >= 1 && day <= 31;
  if (!isDate || !(hour < 24 && minute < 60 && second <= 60)) return Number.NaN;
  const { fraction, offset } = readRest(bytes, from + layout.end, to);
  const whole = Date.UTC(year, month - 1, day, hour, minute, second) * 1e3 + offset;
  // A leap second comes only before midnight, and counts as the second after it.
  if (second === 60 && whole % dayMicros !== 0) return Number.NaN;
  return whole + fraction;
}

function layoutOf(bytes: Uint8Array, from: number): Layout | undefined {
  if (bytes[from + 8] === byte.T) return layouts.basic;
  const between = bytes[from + 10];
  const isExtended =
    bytes[from + 4] === byte.minus &&
    bytes[from + 7] === byte.minus &&
    (between === byte.T || between === byte.space) &&
    bytes[from + 13] === byte.colon &&
    bytes[from + 16] === byte.colon;
  return isExtended ? layouts.extended : undefined;
}

/** The microseconds in the last of so many digits; computing the power would take longer than reading the digits. */
const units = [1e6, 1e5, 1e4, 1e3, 100, 10, 1] as const;

/** The microseconds of an optional fraction, and of the offset, after the seconds. */
function readRest(bytes: Uint8Array, from: number, to: number) {
  if (bytes[from] !== byte.point || from === to)
    return { fraction: 0, offset: readOffset(bytes, from, to) };
  let end = from + 1;
  while (end < to && (bytes[end] ?? 0) >= byte.zero && (bytes[end] ?? 0) <= byte.nine) end += 1;
  const unit = units[end - from - 1] ?? Number.NaN;
  const fraction = end === from + 1 ? Number.NaN : digits(bytes, from + 1, end) * unit;
  return { fraction, offset: readOffset(bytes, end, to) };
}

/** `Z`, nothing, `+02:00`, or `+0200`. */
function readOffset(bytes: Uint8Array, from: number, to: number): number {
  const sign = bytes[from];
  if (to === from || (to === from + 1 && sign === byte.Z)) return 0;
  const hasColon = to === from + 6 && bytes[from + 3] === byte.colon;
  if (!hasColon && to !== from + 5) return Number.NaN;
  const [hours, minutes] = [digits(bytes, from + 1, from + 3), digits(bytes, to - 2, to)];
  if (!(hours <= 14 && minutes <= 59)) return Number.NaN;
  const offset = (hours * 60 + minutes) * 60e6;
  if (sign === byte.plus) return -offset;
  return sign === byte.minus ? offset : Number.NaN;
}
