import type { Type } from '../../types/type.js';
import {
  call,
  castTo,
  type DuckExpression,
  infix,
  integer,
  macro,
  text,
} from '../duckdb-sql/duckdb-sql.js';
import { letOnce } from '../duckdb-sql/let.js';
import type { FormatSpec } from './format-spec.js';

/** What a specifier prints, and how. */
export interface Printing {
  readonly spec: FormatSpec;
  readonly value: DuckExpression;
  readonly type: Type;
  readonly width: DuckExpression | undefined;
  readonly precision: DuckExpression | undefined;
}

/** A number by `%d`, `%x`, `%f` and their like: sign, prefix, digits, padding. */
export function formatNumber(printing: Printing): DuckExpression {
  return letOnce([printing.value], ([value = printing.value]) => write({ ...printing, value }));
}

function write(printing: Printing): DuckExpression {
  const { spec, value, width } = printing;
  const { flags, specifier } = spec;
  const plus = flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  const prefix = flags.includes('#') ? prefixes[specifier] : undefined;
  const sign = macro('format_sign', value, text(plus));
  const head = prefix === undefined ? sign : infix('||', sign, text(prefix));
  const digits = grouped(digitsOf(printing), printing);
  if (width === undefined) return infix('||', head, digits);
  const isLeft = flags.includes('-');
  if (flags.includes('0') && !isLeft) return macro('format_zeros', head, digits, width);
  const left: DuckExpression = { kind: 'word', word: isLeft ? 'TRUE' : 'FALSE' };
  return macro('format_pad', infix('||', head, digits), width, left);
}

const prefixes: Readonly<Record<string, string>> = { o: '0', x: '0x', X: '0X' };

function digitsOf(printing: Printing): DuckExpression {
  const { spec, value, precision } = printing;
  if (/[fFeEgG]/.test(spec.specifier)) return floatDigits(printing);
  const size = call('abs', castTo(value, 'HUGEINT'));
  const isDecimal = /[di]/.test(spec.specifier);
  const digits = isDecimal
    ? castTo(size, 'VARCHAR')
    : call('printf', text(`%${spec.specifier}`), size);
  return precision === undefined ? digits : macro('format_digits', digits, precision);
}

/** `%'d`: commas between thousands; colons or commas between four digits of `%x` and `%o`. */
function grouped(digits: DuckExpression, { spec }: Printing): DuckExpression {
  if (!spec.flags.includes("'")) return digits;
  if (/[xX]/.test(spec.specifier)) return macro('format_groups', digits, text('(.{4})'), text(':'));
  const size = spec.specifier === 'o' ? 4 : 3;
  return macro('format_groups', digits, text(`(.{${size}})`), text(','));
}

/** Fraction digits of `%f` where none are given. */
const defaultPrecision = 6;

const scales: Readonly<Record<string, number>> = { NUMERIC: 9, BIGNUMERIC: 8 };

function floatDigits({ spec, value, type, precision }: Printing): DuckExpression {
  const { flags, specifier } = spec;
  const places = spec.precision ?? defaultPrecision;
  const scale = scales[type.kind];
  const isPlain = /[fF]/.test(specifier) && !flags.includes('#');
  if (scale !== undefined && isPlain && places !== '*') {
    const rounded = castTo(call('abs', value), `DECIMAL(38,${Math.min(places, scale)})`);
    const digits = castTo(rounded, 'VARCHAR');
    const more = '0'.repeat(Math.max(places - scale, 0));
    return more === '' ? digits : infix('||', digits, text(more));
  }
  const start = text(`%${flags.includes('#') ? '#' : ''}.`);
  const printed = castTo(precision ?? integer(defaultPrecision), 'VARCHAR');
  const pattern = places === '*' ? infix('||', start, printed, text(specifier)) : undefined;
  const known = text(`%${flags.includes('#') ? '#' : ''}.${places}${specifier}`);
  return call('printf', pattern ?? known, call('abs', castTo(value, 'DOUBLE')));
}
