import { isPlain, type StructType, scalar, type Type, typeName } from '../../types/types.js';
import { anyType, formatSteps } from '../../values/format-string.js';
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
import { readOnce } from './json-text.js';
import { isAnyNumber } from './read-open.js';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#format_string */
export const formatFunctions = defineFunctions({ format: ['STRING, ANY... -> STRING', format] });

/** FORMAT; the engine prints literal text and values without a width faster than JavaScript. */
function format(...[args, node]: Parameters<Emitter>): DuckExpression {
  const pattern = constantText(node.args[0]);
  if (pattern === undefined) return formatRow(args, node);
  if (pattern === null) return asVarchar();
  const steps = faultsAt(node.at, () => formatSteps(pattern, typeNames(node)));
  const printed = steps.flatMap(({ part, index }) => {
    if (typeof part === 'string') return [d.text(part)];
    const type = node.args[index]?.type ?? scalar('STRING');
    const isBare = part.width === undefined && part.precision === undefined;
    const text = isBare && textPrinters[part.specifier]?.(args[index] ?? d.nullValue, type);
    return text ? [text] : [];
  });
  if (printed.length < steps.length) return formatRow(args, node);
  return printed.length === 0 ? d.text('') : d.infix('||', d.text(''), ...printed);
}

/** The type names for the JavaScript function; a log's value may be a number of any type. */
function typeNames({ args }: bound.Call): readonly string[] {
  return args.map(({ type }) => (isAnyNumber(type) ? anyType : typeName(type)));
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
    pattern.kind === 'text' && !pattern.value.includes(letter)
      ? asVarchar()
      : d.choose(d.call('contains', pattern, d.text(letter)), shown, asVarchar());
  const isRead = /^(?:STRING|INT64|FLOAT64|NUMERIC|BIGNUMERIC)$/.test(type.kind);
  const isJson = type.kind === 'JSON';
  const shown = printPresent(value, type, styleFor(type, false));
  const raw = isRead ? asVarchar(value) : asVarchar();
  return [
    isJson ? where('P', jsonLines(value)) : raw,
    isJson ? shown : where('t', shown),
    where('T', printPresent(value, type, styleFor(type, true))),
  ];
}

/** The specifiers that the engine prints, if they have no width. */
const textPrinters: Readonly<
  Record<string, (value: DuckExpression, type: Type) => DuckExpression>
> = {
  P: jsonLines,
  T: (value, type) => printValue(value, type, styleFor(type, true)),
  p: jsonToText,
  s: (value) => value,
  t: (value, type) => printValue(value, type, styleFor(type, false)),
};

/** Whether a value becomes a literal of GoogleSQL, and whether it is in its stored layout, in which NULL is `[]`. */
type Style = ReturnType<typeof styleFor>;

function styleFor(type: Type, asLiteral: boolean) {
  return { asLiteral, isStored: !isPlain(type) };
}

/**
 * Prints a value like `%t`, or like `%T` as a literal of GoogleSQL. NULL is printed as `NULL`.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#t_and_t_behavior
 */
function printValue(value: DuckExpression, type: Type, style: Style): DuckExpression {
  return d.call('coalesce', printPresent(value, type, style), d.text('NULL'));
}

function printPresent(value: DuckExpression, type: Type, style: Style): DuckExpression {
  if (type.kind === 'ARRAY') {
    const print = (inner: DuckExpression) => printValue(inner, type.element, style);
    const elements =
      type.layout === 'struct'
        ? d.choose(d.isNotNull(value), print(value))
        : d.macro('join', plain.mapList(value, print), d.text(', '));
    const listed = style.isStored ? d.call('coalesce', elements, d.text('')) : elements;
    return d.infix('||', d.text('['), listed, d.text(']'));
  }
  if (type.kind === 'STRUCT') {
    return readOnce(value, type, (one) => printStruct(one, type, style));
  }
  return style.asLiteral ? printLiteral(value, type) : printPlain(value, type);
}

function printStruct(value: DuckExpression, type: StructType, style: Style): DuckExpression {
  const print = (fields: readonly plain.StoredField[]) =>
    fields.map(([field, inner]) => {
      const printed = printValue(inner, field.type, style);
      return field.undeclared ? d.choose(plain.isShown(inner, field.type), printed) : printed;
    });
  const read = (fields: readonly plain.StoredField[]) => duckList(...print(fields));
  const join = (lists: readonly DuckExpression[]) => d.call('flatten', duckList(...lists));
  const present = { kind: 'is-null', of: value, not: true } as const;
  const isFixed = !plain.isWide(type) && type.fields.every(({ undeclared }) => !undeclared);
  const printed = isFixed
    ? inBrackets(print(plain.storedFields(value, type)), style.asLiteral)
    : shownInBrackets(plain.readFields(value, type, read, join), style.asLiteral);
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
