import { QueryFault } from '../../errors/query-fault.js';
import { type Type, typeName } from '../../types/type.js';
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
import { defineFunctions, type Emitter } from './definition.js';
import { formatNumber, type Printing } from './format-number.js';
import { countArguments, type FormatSpec, parseFormat } from './format-spec.js';
import { jsonText, printValue } from './format-value.js';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#format_string */
export const formatFunctions = defineFunctions({ format: ['STRING, ANY... -> STRING', format] });

/** The format is read when compiling, so it must stand in the query. */
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
    const place = next;
    next += countArguments(part);
    return printSpec(part, { args, node, place });
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

interface Place {
  readonly args: readonly DuckExpression[];
  readonly node: BoundCall;
  /** Of the first argument that a specifier takes. */
  readonly place: number;
}

function printSpec(spec: FormatSpec, { args, node, place }: Place): DuckExpression {
  let next = place;
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

function expectType({ args, at }: BoundCall, place: number, expected: RegExp): Type {
  const type = args[place]?.type ?? { kind: 'STRING' };
  if (expected.test(type.kind)) return type;
  const [word = ''] = /[A-Z0-9]+/.exec(expected.source) ?? [];
  const message = `Invalid type for argument ${place + 1} to FORMAT; Expected ${typeWords[word] ?? word}; Got ${typeName(type)}`;
  throw new QueryFault(message, at);
}

/** At most `precision` characters, at least `width`. */
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
