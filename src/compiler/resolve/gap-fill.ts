import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import { didYouMean } from '../../errors/suggest.js';
import { typeName } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { printExpression } from '../syntax/print-googlesql.js';
import { nameText } from '../syntax/print-literal.js';
import { parse } from '../syntax/syntax.js';
import type * as tree from '../syntax/tree.js';
import { resolveExpression } from './resolve-expression.js';
import { emptyScope, type Scope } from './scope.js';

/**
 * Resolves `GAP_FILL(TABLE t, ts_column => 'ts', bucket_width => …)` as a query over its input: points and starts of
 * buckets are rows, and each start finds the points before and after it by windows.
 * @throws QueryFault for an argument that is missing, unknown or not a literal
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/time-series-functions#gap_fill
 */
export function resolveGapFill(node: tree.GapFill, scope: Scope): bound.Query {
  const { columns } = scope.statement.resolveQuery(node.input, scope);
  const given = readArguments(node);
  const find = (literal: tree.Expression) => findColumn(literal, columns);
  const literal = required('ts_column', given, node);
  const time = find(literal);
  if (!(time.type.kind in parts))
    throw needs('ts_column', 'a DATE, DATETIME or TIMESTAMP', literal);
  const keys = readList(given.get('partitioning_columns')).map(find);
  const rest = columns.filter((one) => one !== time && !keys.includes(one));
  const fills = given.has('value_columns')
    ? readList(given.get('value_columns')).map((pair) => readFill(pair, find))
    : rest.map((column): Fill => ({ column, method: 'null' }));
  refuseRoles([time, ...keys, ...fills.map(({ column }) => column)], node);
  const width = readWidth(required('bucket_width', given, node), time, scope);
  const start = given.get('origin');
  const origin = start === undefined ? '' : readOrigin(start, time, scope);
  const ignoresNulls = readFlag(given.get('ignore_null_values'));
  const text = writeQuery({ time, keys, fills, width, origin, ignoresNulls });
  const query = parse(text);
  placeAt(query, node.at);
  const ctes = query.ctes.map((cte, index) => (index === 0 ? { ...cte, query: node.input } : cte));
  return scope.statement.resolveQuery({ ...query, ctes }, scope);
}

/** Moves every node of a new tree to the offset of the call. */
function placeAt(node: object, at: number): void {
  if (Object.hasOwn(node, 'at')) Object.assign(node, { at });
  for (const part of Object.values(node)) {
    if (typeof part === 'object' && part !== null) placeAt(part, at);
  }
}

function refuseRoles(columns: readonly bound.Column[], { at }: tree.GapFill): void {
  if (new Set(columns).size < columns.length)
    throw new QueryFault('GAP_FILL takes each column once', at);
  if (columns.some(({ name }) => name === ''))
    throw new QueryFault('GAP_FILL needs a name for each column of its table', at);
}

const clockParts = ['MICROSECOND', 'MILLISECOND', 'SECOND', 'MINUTE', 'HOUR', 'DAY'];
const dateParts = ['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'];

/** The parts of a bucket's width, by the type of the time. */
const parts: Readonly<Record<string, readonly string[]>> = {
  DATE: dateParts,
  DATETIME: [...clockParts, ...dateParts.slice(1)],
  TIMESTAMP: clockParts,
};

interface Width {
  /** `INTERVAL count part` */
  readonly text: string;
  readonly count: string;
  readonly part: string;
}

/** Reads a width. It is resolved without any name in scope, so that it cannot read the columns of the written query. */
function readWidth(node: tree.Expression, { type }: bound.Column, scope: Scope): Width {
  const allowed = parts[type.kind] ?? [];
  if (node.kind !== 'interval' || node.to !== undefined || !allowed.includes(node.part)) {
    throw needs('bucket_width', `INTERVAL n part, with one of ${allowed.join(', ')}`, node);
  }
  resolveExpression(node, emptyScope(scope.statement, []));
  const [text, count] = [printExpression(node), printExpression(node.value)];
  return { text, count, part: node.part };
}

/** Reads an origin, without any name in scope, as {@link readWidth} does. */
function readOrigin(node: tree.Expression, { type }: bound.Column, scope: Scope): string {
  const value = resolveExpression(node, emptyScope(scope.statement, []));
  if (value.type.kind !== type.kind) throw needs('origin', `a constant ${type.kind}`, node);
  return `, ${printExpression(node)}`;
}

function readFlag(value: tree.Expression | undefined): boolean {
  if (value === undefined) return true;
  if (value.kind === 'literal' && value.type === 'BOOL') return value.value === 'true';
  throw needs('ignore_null_values', 'TRUE or FALSE', value);
}

const names = [
  ...['ts_column', 'bucket_width', 'partitioning_columns', 'value_columns', 'origin'],
  'ignore_null_values',
];

type Given = ReadonlyMap<string, tree.Expression>;

function readArguments({ arguments: given, at }: tree.GapFill): Given {
  const found = new Map(given.map((one, index) => [argumentName(one, index), one.value]));
  if (found.size < given.length) throw new QueryFault('GAP_FILL has an argument twice', at);
  return found;
}

/** The name of an argument, which is given or follows from the position. */
function argumentName({ name, value: { at } }: tree.NamedArgument, index: number): string {
  const key = name?.name.toLowerCase() ?? names[index];
  if (key === undefined) {
    throw new QueryFault(`GAP_FILL takes at most ${names.length} arguments after its table`, at);
  }
  if (names.includes(key)) return key;
  const message = `GAP_FILL has no argument ${shortName(key)}${didYouMean(key, names)}`;
  throw new QueryFault(message, name?.at ?? at);
}

function required(name: string, given: Given, { at }: tree.GapFill): tree.Expression {
  const value = given.get(name);
  if (value === undefined) throw new QueryFault(`GAP_FILL needs the argument ${name}`, at);
  return value;
}

function needs(name: string, what: string, { at }: tree.Expression): QueryFault {
  return new QueryFault(`The argument ${name} of GAP_FILL must be ${what}`, at);
}

function readText(literal: tree.Expression): string {
  if (literal.kind === 'literal' && literal.type === 'STRING') return literal.value;
  const message = 'GAP_FILL takes names of columns and methods as string literals';
  throw new QueryFault(message, literal.at);
}

function readList(list: tree.Expression | undefined): readonly tree.Expression[] {
  if (list === undefined) return [];
  if (list.kind === 'array') return list.elements;
  throw new QueryFault('GAP_FILL takes a list of columns as an array literal', list.at);
}

function findColumn(literal: tree.Expression, columns: readonly bound.Column[]): bound.Column {
  const name = readText(literal);
  const found = columns.find((one) => one.name.toLowerCase() === name.toLowerCase());
  if (found !== undefined) return found;
  const known = columns.map((one) => one.name);
  const message = `GAP_FILL finds no column ${shortName(name)}${didYouMean(name, known)}`;
  throw new QueryFault(message, literal.at);
}

/** A column to fill, and its method. */
interface Fill {
  readonly column: bound.Column;
  readonly method: string;
}

const methods = ['null', 'locf', 'linear'];
const numbers = ['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC'];

/** The types that interpolate values of these types without rounding them to FLOAT64. */
const exactTypes: Readonly<Record<string, string>> = {
  INT64: 'numeric',
  NUMERIC: 'numeric',
  BIGNUMERIC: 'bignumeric',
};

/** `('column', 'method')`, or `('column')`. */
function readFill(pair: tree.Expression, find: (literal: tree.Expression) => bound.Column): Fill {
  const [name = pair, given] = pair.kind === 'struct' ? pair.fields.map(({ value }) => value) : [];
  const column = find(name);
  const method = given === undefined ? 'null' : readText(given).toLowerCase();
  const isNumber = numbers.includes(column.type.kind);
  if (methods.includes(method) && (method !== 'linear' || isNumber)) return { column, method };
  const what = `pairs of a column and one of ${methods.join(', ')}, linear for numbers only`;
  throw needs('value_columns', what, pair);
}

interface Parts {
  readonly time: bound.Column;
  readonly keys: readonly bound.Column[];
  readonly fills: readonly Fill[];
  readonly width: Width;
  readonly origin: string;
  readonly ignoresNulls: boolean;
}

/** The starts of the buckets from `start` to the column `last`; for a DATETIME there may be one more. */
function writeStarts(kind: string, start: string, { text, count, part }: Width): string {
  if (kind !== 'DATETIME') return `generate_${kind}_array(${start}, last, ${text})`;
  const counts = `generate_array(0, div(datetime_diff(last, ${start}, ${part}), ${count}))`;
  return `array(select datetime_add(${start}, interval i * (${count}) ${part}) from unnest(${counts}) as i)`;
}

/**
 * Writes the query over the CTE `input`. The bucket of the first point may start before that point, and is left out.
 */
function writeQuery({ time, keys, fills, width, origin, ignoresNulls }: Parts): string {
  const quote = (name: string) => nameText({ name, quoted: true });
  const kind = time.type.kind;
  const start = `${kind}_bucket(first, ${width.text}${origin})`;
  const k = keys.map((_, index) => `k${index}, `).join('');
  const partition = k === '' ? '' : `partition by ${k.slice(0, -2)} `;
  const points = fills.map(({ column, method }, index) => {
    const value = quote(column.name);
    const point = `struct(${quote(time.name)} as t, ${value} as v)`;
    const isLeftOut = ignoresNulls && method !== 'null';
    return `, ${isLeftOut ? `if(${value} is null, null, ${point})` : point} as p${index}`;
  });
  const around = fills.map(
    (_, i) =>
      `, last_value(p${i} ignore nulls) over earlier as a${i}, first_value(p${i} ignore nulls) over later as b${i}`,
  );
  const filled = fills.map(({ column, method }, i) => {
    const unit = kind === 'DATE' ? 'day' : 'microsecond';
    const share = `(${kind}_diff(t, a${i}.t, ${unit}) / ${kind}_diff(b${i}.t, a${i}.t, ${unit}))`;
    const exact = exactTypes[column.type.kind];
    const number = (value: string) => (exact ? `cast(${value} as ${exact})` : value);
    const [before, after] = [number(`a${i}.v`), number(`b${i}.v`)];
    const line = `${before} + (${after} - ${before}) * ${number(share)}`;
    const values: Readonly<Record<string, string>> = {
      null: `if(a${i}.t = t, a${i}.v, null)`,
      locf: `a${i}.v`,
      linear: `case when a${i}.t = t then a${i}.v when b${i}.t is not null then cast(${line} as ${typeName(column.type)}) end`,
    };
    return `, ${values[method]} as ${quote(column.name)}`;
  });
  const input = keys.map(({ name }, index) => `${quote(name)} as k${index}, `).join('');
  const output = keys.map(({ name }, index) => `, k${index} as ${quote(name)}`).join('');
  const order = `${partition}order by t, is_start rows between`;
  return `with input as (select 1), points as (
      select ${input}${quote(time.name)} as t, false as is_start${points.join('')} from input
      where ${quote(time.name)} is not null),
    ends as (select ${k}min(t) as first, max(t) as last from points ${k && `group by ${k.slice(0, -2)}`}),
    around as (select ${k}t, is_start${around.join('')} from (
        select * from points union all
        select ${k}t, true${', null'.repeat(fills.length)} from ends cross join unnest(${writeStarts(kind, start, width)}) as t
        where t between first and last)
      window earlier as (${order} unbounded preceding and current row),
        later as (${order} current row and unbounded following))
    select t as ${quote(time.name)}${output}${filled.join('')} from around where is_start`;
}
