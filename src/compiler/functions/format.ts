import {
  anyType,
  checkArgumentCount,
  checkArgumentType,
  countFormatArguments,
  type FormatSpec,
  parseFormatString,
} from '../../common/format-string.js';
import { isOpen, isOpenNumber, type StructType, type Type, typeName } from '../../types/types.js';
import type { BoundCall } from '../bound/bound.js';
import { constantText } from '../bound/constant-text.js';
import {
  call,
  castTo,
  choose,
  type DuckExpression,
  duckNull,
  infix,
  integer,
  isNotNull,
  macro,
  text,
} from '../duckdb-sql/duckdb-sql.js';
import { jsonToText } from '../duckdb-sql/json-values.js';
import { letOnce } from '../duckdb-sql/let.js';
import {
  isShown,
  isWide,
  mapList,
  readFields,
  type StoredField,
  storedFields,
} from '../duckdb-sql/plain.js';
import { asText } from './cast-scalar.js';
import { defineFunctions, type Emitter } from './definition.js';
import { faultsAt } from './format-faults.js';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#format_string */
export const formatFunctions = defineFunctions({ format: ['STRING, ANY... -> STRING', format] });

/** A format that the compiler knows is read once; another one is read for each row. */
function format(...[args, node]: Parameters<Emitter>): DuckExpression {
  const pattern = constantText(node.args[0]);
  if (pattern === undefined) return formatRow(args, node);
  if (pattern === null) return castTo(duckNull, 'VARCHAR');
  return faultsAt(node.at, () => formatWith(pattern, args, node));
}

function formatWith(
  pattern: string,
  args: readonly DuckExpression[],
  node: BoundCall,
): DuckExpression {
  const parts = parseFormatString(pattern);
  checkArgumentCount(parts, pattern, node.args.length);
  if (parts.some(isForScript) || printsAnyNumber(parts, node)) return formatRow(args, node);
  let next = 1;
  const printed = parts.map((part) => {
    if (typeof part === 'string') return text(part);
    const index = next;
    next += countFormatArguments(part);
    return printSpec(part, { args, node, index });
  });
  return printed.length === 0 ? text('') : infix('||', text(''), ...printed);
}

/** Whether a value of a log may be a number of any type. */
function isAnyNumber(type: Type): boolean {
  return isOpen(type) || isOpenNumber(type);
}

/** Whether a specifier of numbers, or a `*`, prints a value of a log that may be a number of any type. */
function printsAnyNumber(parts: readonly (string | FormatSpec)[], { args }: BoundCall): boolean {
  const words = parts.flatMap((part) => {
    const size = countFormatArguments(part);
    return typeof part === 'string' ? [] : [...'**'.slice(0, size - 1), part.specifier];
  });
  const types = args.slice(1).map(({ type }) => type);
  return types.some((type, index) => isAnyNumber(type) && !/[stTpP]/.test(words[index] ?? 's'));
}

/** Whether DuckDB prints a specifier in another way than C: `%#.1e` without a point, `%.0g` with all digits. */
function isForScript(part: string | FormatSpec): boolean {
  if (typeof part === 'string') return false;
  const { specifier, flags, precision } = part;
  return /[gG]/.test(specifier)
    ? precision === 0 || flags.includes('#')
    : /[eEfF]/.test(specifier) && flags.includes('#');
}

/** Calls the function in JavaScript with the format, the types, and three texts for each value. */
function formatRow(args: readonly DuckExpression[], node: BoundCall): DuckExpression {
  const types = node.args.map(({ type }) => (isAnyNumber(type) ? anyType : typeName(type)));
  return letOnce(args, ([pattern = duckNull, ...values]) => {
    const texts = values.flatMap((value, index) =>
      textsOf(value, node.args[index + 1]?.type ?? { kind: 'STRING' }, pattern),
    );
    return call('js_format', castTo(pattern, 'VARCHAR'), text(JSON.stringify(types)), ...texts);
  });
}

/** What `%s`, `%d`, `%f` or `%P` reads, what `%t` or `%p` prints, and what `%T` prints. */
function textsOf(
  value: DuckExpression,
  type: Type,
  pattern: DuckExpression,
): readonly DuckExpression[] {
  const where = (letter: string, shown: DuckExpression) =>
    choose(call('contains', pattern, text(letter)), shown, castTo(duckNull, 'VARCHAR'));
  const isRead = /^(?:STRING|INT64|FLOAT64|NUMERIC|BIGNUMERIC)$/.test(type.kind);
  const isJson = type.kind === 'JSON';
  const shown = printPresent(value, type, false);
  const raw = isRead ? castTo(value, 'VARCHAR') : castTo(duckNull, 'VARCHAR');
  return [
    isJson ? where('P', jsonLines(value)) : raw,
    isJson ? shown : where('t', shown),
    where('T', printPresent(value, type, true)),
  ];
}

interface SpecifierCall {
  readonly args: readonly DuckExpression[];
  readonly node: BoundCall;
  /** The index of the first argument of the specifier. */
  readonly index: number;
}

function printSpec(spec: FormatSpec, { args, node, index }: SpecifierCall): DuckExpression {
  let next = index;
  const typeAt = (place: number) => node.args[place]?.type ?? ({ kind: 'STRING' } as const);
  const take = (size: number | '*' | undefined): DuckExpression | undefined => {
    if (size !== '*') return size === undefined ? undefined : integer(size);
    checkArgumentType('*', next, typeName(typeAt(next)));
    next += 1;
    return macro('format_size', args[next - 1] ?? duckNull);
  };
  const [width, precision] = [take(spec.width), take(spec.precision)];
  const type = typeAt(next);
  checkArgumentType(spec.specifier, next, typeName(type));
  const print = printers[spec.specifier] ?? formatNumber;
  return print({ spec, value: args[next] ?? duckNull, type, width, precision });
}

const printers: Readonly<Record<string, (printing: Printing) => DuckExpression>> = {
  s: (printing) => formatText(printing.value, printing),
  p: (printing) => formatText(jsonToText(printing.value), printing),
  P: (printing) => formatText(jsonLines(printing.value), printing),
  t: (printing) => formatText(printValue(printing.value, printing.type, false), printing),
  T: (printing) => formatText(printValue(printing.value, printing.type, true), printing),
};

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
  const print = (fields: readonly StoredField[]) =>
    fields.map(([field, inner]) => {
      const printed = printValue(inner, field.type, asLiteral);
      return field.undeclared ? choose(isShown(inner, field.type), printed) : printed;
    });
  const read = (fields: readonly StoredField[]) => listNode(print(fields));
  const present = { kind: 'is-null', of: value, not: true } as const;
  const isFixed = !isWide(type) && type.fields.every(({ undeclared }) => !undeclared);
  const printed = isFixed
    ? inBrackets(print(storedFields(value, type)), asLiteral)
    : shownInBrackets(readFields(value, type, read, joinLists), asLiteral);
  return { kind: 'case', whens: [{ when: present, result: printed }] };
}

function listNode(elements: readonly DuckExpression[]): DuckExpression {
  return { kind: 'list', elements };
}

function joinLists(lists: readonly DuckExpression[]): DuckExpression {
  return call('flatten', listNode(lists));
}

function inBrackets(values: readonly DuckExpression[], asLiteral: boolean): DuckExpression {
  const open = asLiteral && values.length === 1 ? 'STRUCT(' : '(';
  const parts = values.flatMap((value, index) => (index === 0 ? [value] : [text(', '), value]));
  return infix('||', text(open), ...parts, text(')'));
}

/** A record shows a field that only log files have only if it has a value. */
function shownInBrackets(values: DuckExpression, asLiteral: boolean): DuckExpression {
  const isValue: DuckExpression = {
    kind: 'lambda',
    parameters: ['element'],
    body: isNotNull({ kind: 'name', name: 'element' }),
  };
  const list = call('list_filter', values, isValue);
  return letOnce([list], ([shown = list]) => {
    const all = infix('||', text('('), call('array_to_string', shown, text(', ')), text(')'));
    const isOnly = infix('=', call('len', shown), integer(1));
    return asLiteral ? choose(isOnly, infix('||', text('STRUCT'), all), all) : all;
  });
}

function printPlain(value: DuckExpression, type: Type): DuckExpression {
  if (type.kind === 'FLOAT64') return macro('format_float64', value);
  if (type.kind === 'BYTES') return macro('escape_bytes', value, text('"\'`'));
  return type.kind === 'JSON' ? jsonToText(value) : asText(value, type);
}

/** JSON with its items on lines of their own. */
function jsonLines(value: DuckExpression): DuckExpression {
  return call('js_json_pretty', castTo(value, 'VARCHAR'), text('0'));
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
      return infix('||', text('JSON '), macro('quote_text', jsonToText(value)));
    case 'INTERVAL':
      return infix('||', text('INTERVAL "'), asText(value, type), text('" YEAR TO SECOND'));
    default:
      return infix('||', text(`${type.kind} "`), asText(value, type), text('"'));
  }
}

/** A value to print with a specifier. */
interface Printing {
  readonly spec: FormatSpec;
  readonly value: DuckExpression;
  readonly type: Type;
  readonly width: DuckExpression | undefined;
  readonly precision: DuckExpression | undefined;
}

/** Prints a number with `%d`, `%x`, `%f` and so on: sign, prefix, digits, padding. */
function formatNumber(printing: Printing): DuckExpression {
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
