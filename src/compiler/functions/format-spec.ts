import { QueryFault } from '../../errors/query-fault.js';

/** `%-10.3f`: `'*'` is a width or a precision that is an argument of its own. */
export interface FormatSpec {
  /** Of `-+ #'0`. */
  readonly flags: string;
  readonly width?: number | '*';
  readonly precision?: number | '*';
  readonly specifier: string;
}

/** The largest width or precision; BigQuery allows a million, but a row should not cost that. */
const most = 1_000;

/**
 * The plain texts and the specifiers of a format, in order; `%%` is a plain `%`.
 * @throws QueryFault for what is no specifier
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#format_string
 */
export function parseFormat(format: string, at: number): readonly (string | FormatSpec)[] {
  const parts = /([^%]+)|%([-+ #'0]*)(\*|\d*)(\.(?:\*|\d*))?([\s\S])|%/g;
  return [...format.matchAll(parts)].map(
    ([, plain, flags = '', width = '', precision, specifier = '']) => {
      if (plain !== undefined) return plain;
      const isBare = flags === '' && width === '' && precision === undefined;
      if (specifier === '%' && isBare) return '%';
      if (specifier === '' || specifier === '%') {
        throw new QueryFault(`Invalid FORMAT string: "${format}"`, at);
      }
      if (!/[diouxXfFeEgGspPtT]/.test(specifier)) {
        const message = `Invalid format specifier character "${specifier}" in FORMAT string: "${format}"`;
        throw new QueryFault(message, at);
      }
      return {
        flags,
        specifier,
        ...(width !== '' && { width: size(width, at) }),
        ...(precision !== undefined && { precision: size(precision.slice(1), at) }),
      };
    },
  );
}

/** How many arguments a specifier takes. */
export function countArguments({ width, precision }: FormatSpec): number {
  return 1 + Number(width === '*') + Number(precision === '*');
}

function size(digits: string, at: number): number | '*' {
  if (digits === '*') return '*';
  if (Number(digits) > most) {
    throw new QueryFault(`FORMAT takes widths and precisions of at most ${most}`, at);
  }
  return Number(digits);
}
