import { type StructType, type Type, typeName } from '../../types/types.js';
import { anyType, type FormatSpec, formatSteps } from '../../values/format-string.js';
import type * as bound from '../bound/bound.js';
import { constantText } from '../bound/constant-text.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { jsonLines, jsonToText } from '../duckdb-sql/json-values.js';
import { letOnce } from '../duckdb-sql/let.js';
import * as plain from '../duckdb-sql/plain.js';
import { duckList, filterAs } from '../duckdb-sql/variable.js';
import { scalarToText } from './cast-scalar.js';
import { asVarchar, defineFunctions, type Emitter } from './definition.js';
import { faultsAt } from './format-faults.js';
import { isAnyNumber } from './read-open.js';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#format_string */
export const formatFunctions = defineFunctions({ format: ['STRING, ANY... -> STRING', format] });

/** FORMAT; parses a format that the compiler knows once, and any other for each row. */
function format(...[args, node]: Parameters<Emitter>): DuckExpression {
  const pattern = constantText(node.args[0]);
  if (pattern === undefined) return formatRow(args, node);
  if (pattern === null) return asVarchar();
  return faultsAt(node.at, () => formatWith(pattern, args, node));
}

function formatWith(pattern: string, args: readonly DuckExpression[], node: bound.Call) {
  const steps = formatSteps(pattern, typeNames(node));
  const typeAt = (index: number) => node.args[index]?.type ?? ({ kind: 'STRING' } as const);
  if (steps.some(({ part, index }) => isForScript(part, typeAt(index)))) {
    return formatRow(args, node);
  }
  const printed = steps.map(({ part, index }) =>
    typeof part === 'string'
      ? d.text(part)
      : printSpec({ ...part, value: args[index] ?? d.nullValue, type: typeAt(index) }),
  );
  return printed.length === 0 ? d.text('') : d.infix('||', d.text(''), ...printed);
}

/** The type names for the JavaScript function; a log's value may be a number of any type. */
function typeNames({ args }: bound.Call): readonly string[] {
  return args.map(({ type }) => (isAnyNumber(type) ? anyType : typeName(type)));
}

/** Whether JavaScript prints a part: the engine prints literal text, `%s`, `%t`, `%d`, `%5d` and `%08.3f` faster. */
function isForScript(part: string | FormatSpec, type: Type): boolean {
  if (typeof part === 'string') return false;
  const { specifier, flags, width, precision } = part;
  if (width === '*' || precision === '*') return true;
  if (/[stTpP]/.test(specifier)) return false;
  const isPlain = /[fF]/.test(specifier) || (/[di]/.test(specifier) && precision === undefined);
  return !isPlain || /[^-0]/.test(flags) || isAnyNumber(type);
}

/** Calls the JavaScript function with the format, the types, and three strings per value. */
function formatRow(args: readonly DuckExpression[], node: bound.Call): DuckExpression {
  const types = JSON.stringify(typeNames(node));
  return letOnce(args, ([pattern = d.nullValue, ...values]) => {
    const texts = values.flatMap((value, index) =>
      formatTexts(value, node.args[index + 1]?.type ?? { kind: 'STRING' }, pattern),
    );
    return d.call('js_format', asVarchar(pattern), d.text(types), ...texts);
  });
}

/** The strings that `%s`, `%d`, `%f` or `%P` read, that `%t` or `%p` print, and that `%T` prints. */
function formatTexts(value: DuckExpression, type: Type, pattern: DuckExpression) {
  const where = (letter: string, shown: DuckExpression) =>
    d.choose(d.call('contains', pattern, d.text(letter)), shown, asVarchar());
  const isRead = /^(?:STRING|INT64|FLOAT64|NUMERIC|BIGNUMERIC)$/.test(type.kind);
  const isJson = type.kind === 'JSON';
  const shown = printPresent(value, type, false);
  const raw = isRead ? asVarchar(value) : asVarchar();
  return [
    isJson ? where('P', jsonLines(value)) : raw,
    isJson ? shown : where('t', shown),
    where('T', printPresent(value, type, true)),
  ];
}

/** A value to print with a specifier. */
interface Printing extends FormatSpec {
  readonly value: DuckExpression;
  readonly type: Type;
}

function printSpec(printing: Printing): DuckExpression {
  const { specifier, value, type } = printing;
  const shown = textPrinters[specifier]?.(value, type);
  if (shown !== undefined) return formatText(shown, printing);
  return letOnce([value], ([one = value]) => formatNumber({ ...printing, value: one }));
}

/** The specifiers that do not print a number. */
const textPrinters: Readonly<
  Record<string, (value: DuckExpression, type: Type) => DuckExpression>
> = {
  P: jsonLines,
  T: (value, type) => printValue(value, type, true),
  p: jsonToText,
  s: (value) => value,
  t: (value, type) => printValue(value, type, false),
};

/** Truncates a string to `precision` characters and pads it to `width`. */
function formatText(value: DuckExpression, { precision, ...spec }: Printing): DuckExpression {
  if (precision === undefined) return padded(value, spec);
  return padded(d.call('substring', value, d.integer(1), d.integer(Number(precision))), spec);
}

function padded(value: DuckExpression, { flags, width }: Pick<FormatSpec, 'flags' | 'width'>) {
  const isLeft: DuckExpression = { kind: 'word', word: flags.includes('-') ? 'TRUE' : 'FALSE' };
  return width === undefined
    ? value
    : d.macro('format_pad', value, d.integer(Number(width)), isLeft);
}

/**
 * Prints a value like `%t`, or like `%T` as a literal of GoogleSQL. NULL is printed as `NULL`.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#t_and_t_behavior
 */
function printValue(value: DuckExpression, type: Type, asLiteral: boolean): DuckExpression {
  return d.call('coalesce', printPresent(value, type, asLiteral), d.text('NULL'));
}

function printPresent(value: DuckExpression, type: Type, asLiteral: boolean): DuckExpression {
  if (type.kind === 'ARRAY') {
    const elements = plain.mapList(value, (inner) => printValue(inner, type.element, asLiteral));
    return d.infix('||', d.text('['), d.macro('join', elements, d.text(', ')), d.text(']'));
  }
  if (type.kind === 'STRUCT') {
    return letOnce([value], ([one = value]) => printStruct(one, type, asLiteral));
  }
  return asLiteral ? printLiteral(value, type) : printPlain(value, type);
}

function printStruct(value: DuckExpression, type: StructType, asLiteral: boolean): DuckExpression {
  const print = (fields: readonly plain.StoredField[]) =>
    fields.map(([field, inner]) => {
      const printed = printValue(inner, field.type, asLiteral);
      return field.undeclared ? d.choose(plain.isShown(inner, field.type), printed) : printed;
    });
  const read = (fields: readonly plain.StoredField[]) => duckList(...print(fields));
  const join = (lists: readonly DuckExpression[]) => d.call('flatten', duckList(...lists));
  const present = { kind: 'is-null', of: value, not: true } as const;
  const isFixed = !plain.isWide(type) && type.fields.every(({ undeclared }) => !undeclared);
  const printed = isFixed
    ? inBrackets(print(plain.storedFields(value, type)), asLiteral)
    : shownInBrackets(plain.readFields(value, type, read, join), asLiteral);
  return { kind: 'case', whens: [{ when: present, result: printed }] };
}

function inBrackets(values: readonly DuckExpression[], asLiteral: boolean): DuckExpression {
  const open = asLiteral && values.length === 1 ? 'STRUCT(' : '(';
  const parts = values.flatMap((value, index) => (index === 0 ? [value] : [d.text(', '), value]));
  return d.infix('||', d.text(open), ...parts, d.text(')'));
}

/** Prints a record's values in brackets, without NULLs: those are absent fields that only log files have. */
function shownInBrackets(values: DuckExpression, asLiteral: boolean): DuckExpression {
  const list = filterAs(values, 'element', d.isNotNull({ kind: 'name', name: 'element' }));
  return letOnce([list], ([shown = list]) => {
    const joined = d.call('array_to_string', shown, d.text(', '));
    const all = d.infix('||', d.text('('), joined, d.text(')'));
    const isOnly = d.infix('=', d.call('len', shown), d.integer(1));
    return asLiteral ? d.choose(isOnly, d.infix('||', d.text('STRUCT'), all), all) : all;
  });
}

function printPlain(value: DuckExpression, type: Type): DuckExpression {
  if (type.kind === 'FLOAT64') return d.macro('format_float64', value);
  if (type.kind === 'BYTES') return d.macro('escape_bytes', value, d.text('"\'`'));
  return type.kind === 'JSON' ? jsonToText(value) : scalarToText(value, type);
}

/** Prints a literal such as `DATE "2026-01-02"`. */
function printLiteral(value: DuckExpression, type: Type): DuckExpression {
  const end = type.kind === 'INTERVAL' ? '" YEAR TO SECOND' : '"';
  return (
    literalPrinters[type.kind]?.(value) ??
    d.infix('||', d.text(`${type.kind} "`), scalarToText(value, type), d.text(end))
  );
}

const literalPrinters: Readonly<
  Partial<Record<Type['kind'], (value: DuckExpression) => DuckExpression>>
> = {
  BOOL: asVarchar,
  BYTES: (value) => d.macro('quote_bytes', value),
  FLOAT64: (value) => d.macro('format_float64_literal', value),
  INT64: asVarchar,
  JSON: (value) => d.infix('||', d.text('JSON '), d.macro('quote_text', jsonToText(value))),
  STRING: (value) => d.macro('quote_text', value),
};

/** Prints a number with `%d` or `%f`: sign, padding, digits. */
function formatNumber(printing: Printing): DuckExpression {
  const { specifier, flags, width, value } = printing;
  const sign = d.macro('format_sign', value);
  const digits = /[di]/.test(specifier)
    ? d.castTo(d.call('abs', d.castTo(value, 'HUGEINT')), 'VARCHAR')
    : fixedDigits(printing);
  if (width === undefined || !flags.includes('0') || flags.includes('-')) {
    return padded(d.infix('||', sign, digits), printing);
  }
  return d.macro('format_zeros', sign, digits, d.integer(Number(width)));
}

const scales: Readonly<Record<string, number>> = { NUMERIC: 9, BIGNUMERIC: 8 };

function fixedDigits({ specifier, value, type, precision = 6 }: Printing): DuckExpression {
  const places = Number(precision);
  const scale = scales[type.kind];
  if (scale === undefined) {
    const size = d.call('abs', d.castTo(value, 'DOUBLE'));
    const form = d.text(`%.${places}${specifier}`);
    if (/f/i.test(specifier)) return d.macro('format_fixed', size, d.integer(places), form);
    return d.call('printf', form, size);
  }
  const rounded = d.castTo(d.call('abs', value), `DECIMAL(38,${Math.min(places, scale)})`);
  const digits = d.castTo(rounded, 'VARCHAR');
  return places <= scale ? digits : d.infix('||', digits, d.text('0'.repeat(places - scale)));
}
