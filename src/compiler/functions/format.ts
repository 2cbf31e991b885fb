import { QueryFault } from '../../errors/query-fault.js';
import { type StructType, type Type, typeName } from '../../types/types.js';
import type { BoundCall } from '../bound/bound.js';
import {
  call,
  castTo,
  type DuckExpression,
  duckNull,
  infix,
  integer,
  macro,
  text,
} from '../duckdb-sql/duckdb-sql.js';
import { letOnce } from '../duckdb-sql/let.js';
import { mapList, storedFields } from '../duckdb-sql/plain.js';
import { asText } from './as-text.js';
import { defineFunctions, type Emitter } from './definition.js';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#format_string */
export const formatFunctions = defineFunctions({ format: ['STRING, ANY... -> STRING', format] });

/** The format must be a literal: the compiler reads it. */
function format(...[args, node]: Parameters<Emitter>): DuckExpression {
  const [pattern] = node.args;
  if (pattern?.kind !== 'literal') {
    throw new QueryFault('FORMAT is supported with a literal format string only', node.at);
  }
  if (pattern.value === null) return castTo(duckNull, 'VARCHAR');
  const parts = parseFormat(pattern.value, node.at);
  checkCount(parts, pattern.value, node);
  let next = 1;
  const printed = parts.map((part) => {
    if (typeof part === 'string') return text(part);
    const index = next;
    next += countArguments(part);
    return printSpec(part, { args, node, index });
  });
  return printed.length === 0 ? text('') : infix('||', text(''), ...printed);
}

function checkCount(
  parts: readonly (string | FormatSpec)[],
  pattern: string,
  { args, at }: BoundCall,
): void {
  const specs = parts.filter((part) => typeof part !== 'string');
  const expected = 1 + specs.reduce((sum, spec) => sum + countArguments(spec), 0);
  if (expected === args.length) return;
  const word = expected > args.length ? 'few' : 'many';
  const message = `Too ${word} arguments to FORMAT for pattern "${pattern}"; Expected ${expected}; Got ${args.length}`;
  throw new QueryFault(message, at);
}

interface SpecifierCall {
  readonly args: readonly DuckExpression[];
  readonly node: BoundCall;
  /** The index of the first argument of the specifier. */
  readonly index: number;
}

function printSpec(spec: FormatSpec, { args, node, index }: SpecifierCall): DuckExpression {
  let next = index;
  const take = (size: number | '*' | undefined): DuckExpression | undefined => {
    if (size !== '*') return size === undefined ? undefined : integer(size);
    expectType(node, next, /^INT64$/);
    next += 1;
    return macro('format_size', args[next - 1] ?? duckNull);
  };
  const [width, precision] = [take(spec.width), take(spec.precision)];
  const { expected, print } = specifiers[spec.specifier] ?? stringSpecifier;
  const type = expectType(node, next, expected);
  return print({ spec, value: args[next] ?? duckNull, type, width, precision });
}

interface Specifier {
  readonly expected: RegExp;
  readonly print: (printing: Printing) => DuckExpression;
}

const integerSpecifier: Specifier = { expected: /^INT64$/, print: formatNumber };
const floatSpecifier: Specifier = {
  expected: /^(?:FLOAT64|NUMERIC|BIGNUMERIC)$/,
  print: formatNumber,
};
const stringSpecifier: Specifier = {
  expected: /^STRING$/,
  print: (printing) => formatText(printing.value, printing),
};

const specifiers: Readonly<Record<string, Specifier>> = {
  ...Object.fromEntries([...'dioxX'].map((letter) => [letter, integerSpecifier])),
  ...Object.fromEntries([...'fFeEgG'].map((letter) => [letter, floatSpecifier])),
  u: { expected: /^UINT64$/, print: formatNumber },
  p: {
    expected: /^JSON$/,
    print: (printing) => formatText(jsonText(printing.value), printing),
  },
  P: {
    expected: /^JSON$/,
    print: (printing) => formatText(macro('json_lines', printing.value), printing),
  },
  t: {
    expected: /./,
    print: (printing) => formatText(printValue(printing.value, printing.type, false), printing),
  },
  T: {
    expected: /./,
    print: (printing) => formatText(printValue(printing.value, printing.type, true), printing),
  },
};

const typeWords: Readonly<Record<string, string>> = { INT64: 'integer', UINT64: 'UINT' };

function expectType({ args, at }: BoundCall, index: number, expected: RegExp): Type {
  const type = args[index]?.type ?? { kind: 'STRING' };
  if (expected.test(type.kind)) return type;
  const [word = ''] = /[A-Z0-9]+/.exec(expected.source) ?? [];
  const message = `Invalid type for argument ${index + 1} to FORMAT; Expected ${typeWords[word] ?? word}; Got ${typeName(type)}`;
  throw new QueryFault(message, at);
}

/** Cuts a text to `precision` characters and pads it to `width`. */
function formatText(value: DuckExpression, { spec, width, precision }: Printing): DuckExpression {
  const cut =
    precision === undefined
      ? value
      : spec.precision === '*'
        ? macro('format_cut', value, precision)
        : call('substring', value, integer(1), precision);
  if (width === undefined) return cut;
  const left: DuckExpression = { kind: 'word', word: spec.flags.includes('-') ? 'TRUE' : 'FALSE' };
  return macro('format_pad', cut, width, left);
}

/** A specifier such as `%-10.3f`. A width or precision of `'*'` comes from an argument. */
interface FormatSpec {
  /** Any of `-+ #'0`. */
  readonly flags: string;
  readonly width?: number | '*';
  readonly precision?: number | '*';
  readonly specifier: string;
}

/** The maximum width or precision. BigQuery allows a million, which is too expensive for each row. */
const maxSize = 1_000;

/**
 * Parses a format into texts and specifiers; `%%` is the text `%`.
 * @throws QueryFault for an invalid specifier
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#format_string
 */
function parseFormat(format: string, at: number): readonly (string | FormatSpec)[] {
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

/** The number of arguments of a specifier. */
function countArguments({ width, precision }: FormatSpec): number {
  return 1 + Number(width === '*') + Number(precision === '*');
}

function size(digits: string, at: number): number | '*' {
  if (digits === '*') return '*';
  if (Number(digits) > maxSize) {
    throw new QueryFault(`FORMAT takes widths and precisions of at most ${maxSize}`, at);
  }
  return Number(digits);
}

/**
 * Prints a value like `%t`, or like `%T` as a literal of GoogleSQL. NULL is printed as `NULL`.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#t_and_t_behavior
 */
function printValue(value: DuckExpression, type: Type, asLiteral: boolean): DuckExpression {
  return call('coalesce', printPresent(value, type, asLiteral), text('NULL'));
}

function printPresent(value: DuckExpression, type: Type, asLiteral: boolean): DuckExpression {
  if (type.kind === 'ARRAY') {
    const elements = mapList(value, (inner) => printValue(inner, type.element, asLiteral));
    return infix('||', text('['), macro('join', elements, text(', ')), text(']'));
  }
  if (type.kind === 'STRUCT') {
    return letOnce([value], ([one = value]) => printStruct(one, type, asLiteral));
  }
  return asLiteral ? printLiteral(value, type) : printPlain(value, type);
}

function printStruct(value: DuckExpression, type: StructType, asLiteral: boolean): DuckExpression {
  const fields = storedFields(value, type);
  const values = fields.flatMap(([field, inner], index) => [
    ...(index === 0 ? [] : [text(', ')]),
    printValue(inner, field.type, asLiteral),
  ]);
  const open = asLiteral && fields.length === 1 ? 'STRUCT(' : '(';
  const present = { kind: 'is-null', of: value, not: true } as const;
  const printed = infix('||', text(open), ...values, text(')'));
  return { kind: 'case', whens: [{ when: present, result: printed }] };
}

function printPlain(value: DuckExpression, type: Type): DuckExpression {
  if (type.kind === 'FLOAT64') return macro('format_float64', value);
  if (type.kind === 'BYTES') return macro('escape_bytes', value, text('"\'`'));
  return type.kind === 'JSON' ? jsonText(value) : asText(value, type);
}

/** JSON on one line, without spaces. */
export function jsonText(value: DuckExpression): DuckExpression {
  return castTo(call('json', value), 'VARCHAR');
}

/** Prints a literal such as `DATE "2026-01-02"`. */
function printLiteral(value: DuckExpression, type: Type): DuckExpression {
  switch (type.kind) {
    case 'BOOL':
    case 'INT64':
      return castTo(value, 'VARCHAR');
    case 'FLOAT64':
      return macro('format_float64_literal', value);
    case 'STRING':
      return macro('quote_text', value);
    case 'BYTES':
      return macro('quote_bytes', value);
    case 'JSON':
      return infix('||', text('JSON '), macro('quote_text', jsonText(value)));
    case 'INTERVAL':
      return infix('||', text('INTERVAL "'), asText(value, type), text('" YEAR TO SECOND'));
    default:
      return infix('||', text(`${type.kind} "`), asText(value, type), text('"'));
  }
}

/** A value to print with a specifier. */
export interface Printing {
  readonly spec: FormatSpec;
  readonly value: DuckExpression;
  readonly type: Type;
  readonly width: DuckExpression | undefined;
  readonly precision: DuckExpression | undefined;
}

/** Prints a number with `%d`, `%x`, `%f` and so on: sign, prefix, digits, padding. */
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

/** `%'d`: commas between thousands; `%'x` has a colon and `%'o` a comma every four digits. */
function grouped(digits: DuckExpression, { spec }: Printing): DuckExpression {
  if (!spec.flags.includes("'")) return digits;
  if (/[xX]/.test(spec.specifier)) return macro('format_groups', digits, text('(.{4})'), text(':'));
  const size = spec.specifier === 'o' ? 4 : 3;
  return macro('format_groups', digits, text(`(.{${size}})`), text(','));
}

/** The number of fraction digits of `%f` without a precision. */
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
