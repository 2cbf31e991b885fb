import { parseTimestamp } from '../endpoint/timestamp.js';
import { ignoreErrors } from '../process/ignore-errors.js';
import { printSize } from '../process/print-size.js';

/** The kinds of settings, and the type of each kind's value. */
export interface SettingValues {
  readonly text: string;
  /** A name of the IANA time zone database. */
  readonly zone: string;
  readonly switch: boolean;
  readonly count: number;
  /** In bytes; written `128MB`, where K, M and G are powers of 1024. */
  readonly size: number;
  /** In milliseconds; written `30s`, `500ms`, `2m`. */
  readonly duration: number;
  /** `YYYY-MM-DDTHH:MM:SS.ffffff+00:00`. */
  readonly instant: string;
  /** One item for each use of the flag. */
  readonly list: readonly string[];
  /** As browsers send them, `https://app.example`. */
  readonly origins: readonly string[];
}

/** The name of a kind. */
export type SettingKind = keyof SettingValues;

/** The values that a setting allows. */
export interface Limits {
  readonly min?: number;
  readonly max?: number;
  readonly oneOf?: readonly string[];
  /** Whether the value must consist of letters, digits and dashes. */
  readonly word?: boolean;
}

/** A setting's value, or what it must be (as in `must be …`). */
export type SettingReading<K extends SettingKind> =
  | { readonly value: SettingValues[K] }
  | { readonly must: string };

/**
 * Reads the values given for a setting, one for each use of its flag; all kinds but `list` and `origins` use the last
 * one.
 */
export function readSetting<K extends SettingKind>(
  kind: K,
  texts: readonly string[],
  limits: Limits,
): SettingReading<K> {
  return readers[kind](texts.at(-1) ?? '', limits, texts);
}

type Reader<K extends SettingKind> = (
  text: string,
  limits: Limits,
  texts: readonly string[],
) => SettingReading<K>;

const readers: { readonly [K in SettingKind]: Reader<K> } = {
  text: (text, { oneOf, word }) => {
    if (word && !/^[A-Za-z0-9-]{1,40}$/.test(text))
      return { must: 'be letters, digits and dashes' };
    if (oneOf !== undefined && !oneOf.includes(text))
      return { must: `be one of ${oneOf.join(', ')}` };
    return text === '' ? { must: 'not be empty' } : { value: text };
  },
  zone: (text) => {
    const zone = ignoreErrors(() => Intl.DateTimeFormat('en', { timeZone: text }));
    return zone ? { value: text } : { must: 'be a time zone such as Europe/Berlin' };
  },
  switch: (text) => {
    if (text === 'true' || text === 'false') return { value: text === 'true' };
    return { must: 'be true or false' };
  },
  count: (text, limits) => {
    const form = /^\d+ ?[A-Za-z]+$/.test(text) ? 'a whole number without a unit' : 'a whole number';
    return within(/^\d{1,15}$/.test(text) ? Number(text) : Number.NaN, limits, [form, String]);
  },
  size: (text, limits) =>
    within(scaled(text, sizeUnits), limits, ['a size such as 128MB', printSize]),
  duration: (text, limits) =>
    within(scaled(text, durationUnits), limits, ['a duration such as 30s', printDuration]),
  instant: (text) => {
    const value = parseTimestamp(text);
    return value === undefined ? { must: 'be an ISO 8601 timestamp' } : { value };
  },
  list: (_text, _limits, texts) => ({ value: texts }),
  origins: (_text, _limits, texts) => {
    const value = texts.flatMap((text) => text.split(',')).map((text) => text.trim());
    // Browsers send an origin in only one spelling; any other would never match.
    if (value.every((one) => URL.canParse(one) && new URL(one).origin === one)) return { value };
    return { must: 'be a comma-separated list of origins such as https://app.example' };
  },
};

const sizeUnits: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1024,
  MB: 1024 ** 2,
  GB: 1024 ** 3,
};

const durationUnits: Readonly<Record<string, number>> = { MS: 1, S: 1000, M: 60_000, H: 3_600_000 };

/** Prints a duration in the largest unit without a fraction: `90 s`. */
function printDuration(ms: number): string {
  const units = Object.entries(durationUnits).toReversed();
  const [unit, size] = units.find(([, one]) => ms % one === 0) ?? ['MS', 1];
  return `${ms / size} ${unit.toLowerCase()}`;
}

function scaled(text: string, units: Readonly<Record<string, number>>): number {
  if (text === '0') return 0;
  const [, digits, unit = ''] = /^(\d{1,12})\s*([A-Za-z]+)$/.exec(text) ?? [];
  return Number(digits) * (units[unit.toUpperCase().replace('IB', 'B')] ?? Number.NaN);
}

function within(
  value: number,
  { min = 0, max }: Limits,
  [form, print]: readonly [string, (value: number) => string],
): { readonly value: number } | { readonly must: string } {
  if (value >= min && value <= (max ?? Number.MAX_SAFE_INTEGER)) return { value };
  const range =
    max === undefined ? `at least ${print(min)}` : `from ${print(min)} to ${print(max)}`;
  return { must: `be ${form}, ${range}` };
}
