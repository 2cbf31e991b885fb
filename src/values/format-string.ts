import { ValueFault } from './value-fault.js';

/** A specifier such as `%-10.3f`. A width or precision of `'*'` comes from an argument. */
export interface FormatSpec {
  /** Any of `-+ #'0`. */
  readonly flags: string;
  readonly width?: number | '*';
  readonly precision?: number | '*';
  readonly specifier: string;
}

/** The maximum width or precision. BigQuery allows a million, which is too expensive for each row. */
const maxFormatSize = 1_000;

/**
 * Parses a format of FORMAT into literals and specifiers; `%%` is the literal `%`.
 * @throws ValueFault for an invalid specifier
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#format_string
 */
function parseFormatString(format: string): readonly (string | FormatSpec)[] {
  const parts = /([^%]+)|%([-+ #'0]*)(\*|\d*)(\.(?:\*|\d*))?([\s\S])|%/g;
  return [...format.matchAll(parts)].map(
    ([, plain, flags = '', width = '', precision, specifier = '']) => {
      if (plain !== undefined) return plain;
      const isBare = flags === '' && width === '' && precision === undefined;
      if (specifier === '%' && isBare) return '%';
      refuseSpecifier(specifier, format);
      return {
        flags,
        specifier,
        ...(width !== '' && { width: size(width) }),
        ...(precision !== undefined && { precision: size(precision.slice(1)) }),
      };
    },
  );
}

function refuseSpecifier(specifier: string, format: string): void {
  if (specifier === '' || specifier === '%') {
    throw new ValueFault(`Invalid FORMAT string: "${format}"`);
  }
  if (/[diouxXfFeEgGspPtT]/.test(specifier)) return;
  throw new ValueFault(
    `Invalid format specifier character "${specifier}" in FORMAT string: "${format}"`,
  );
}

function size(digits: string): number | '*' {
  return digits === '*' ? '*' : checkFormatSize(Number(digits));
}

/**
 * Checks a width or precision, and returns it.
 * @throws ValueFault if it is too large
 */
export function checkFormatSize(count: number): number {
  if (Math.abs(count) <= maxFormatSize) return count;
  throw new ValueFault(`FORMAT takes widths and precisions of at most ${maxFormatSize}`);
}

/** A part of a format and the index of its first argument, which has a valid type. */
export interface FormatStep {
  readonly part: string | FormatSpec;
  readonly index: number;
}

/**
 * Returns the parts of a format for arguments of these types, such as `INT64`; the first one is the format's own
 * type.
 * @throws ValueFault `Too few arguments to FORMAT …`
 */
export function formatSteps(pattern: string, types: readonly string[]): readonly FormatStep[] {
  const parts = parseFormatString(pattern);
  let next = 1;
  const steps = parts.map((part) => {
    const index = next;
    next += argumentSpecifiers(part).length;
    return { part, index };
  });
  if (next !== types.length) {
    const word = next > types.length ? 'few' : 'many';
    throw new ValueFault(
      `Too ${word} arguments to FORMAT for pattern "${pattern}"; Expected ${next}; Got ${types.length}`,
    );
  }
  for (const { part, index } of steps) {
    for (const [place, specifier] of argumentSpecifiers(part).entries()) {
      checkArgumentType(specifier, index + place, types[index + place] ?? '');
    }
  }
  return steps;
}

/** Returns the specifiers of the arguments that a part takes, with `*` for a width or a precision. */
function argumentSpecifiers(part: string | FormatSpec): readonly string[] {
  if (typeof part === 'string') return [];
  return [part.width, part.precision, part.specifier].filter((size) => typeof size === 'string');
}

const specifierTypes: Readonly<Record<string, RegExp>> = {
  ...Object.fromEntries([...'dioxX*'].map((letter) => [letter, /^INT64$/])),
  ...Object.fromEntries(
    [...'fFeEgG'].map((letter) => [letter, /^(?:FLOAT64|NUMERIC|BIGNUMERIC)$/]),
  ),
  ...Object.fromEntries([...'pP'].map((letter) => [letter, /^JSON$/])),
  ...Object.fromEntries([...'tT'].map((letter) => [letter, /./])),
  s: /^STRING$/,
  u: /^UINT64$/,
};

/** The type of an argument that may hold a number. */
export const anyType = 'ANY';

const typeWords: Readonly<Record<string, string>> = { INT64: 'integer', UINT64: 'UINT' };

/**
 * Checks the type, such as `INT64`, of the argument at an index for a specifier, or for `*`.
 * @throws ValueFault `Invalid type for argument 2 to FORMAT; Expected STRING; Got INT64`
 */
function checkArgumentType(specifier: string, index: number, type: string): void {
  const expected = specifierTypes[specifier] ?? /./;
  if (expected.test(type) || (type === anyType && !/[pPu]/.test(specifier))) return;
  const [word = ''] = /[A-Z0-9]+/.exec(expected.source) ?? [];
  throw new ValueFault(
    `Invalid type for argument ${index + 1} to FORMAT; Expected ${typeWords[word] ?? word}; Got ${type}`,
  );
}
