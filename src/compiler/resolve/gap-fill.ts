import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import { didYouMean } from '../../errors/suggest.js';
import { typeName } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { printExpression } from '../syntax/print-googlesql.js';
import { nameText } from '../syntax/print-literal.js';
import { parse } from '../syntax/syntax.js';
import type * as tree from '../syntax/tree.js';
import type { Scope } from './scope.js';

/**
 * Resolves `GAP_FILL(TABLE t, ts_column => 'ts', bucket_width => …)` as a query over its input: points and starts of buckets
 * are rows, and each start finds the points before and after it by windows.
 * @throws QueryFault for an argument that is missing, unknown or no literal
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/time-series-functions#gap_fill
 */
export function resolveGapFill(node: tree.GapFill, scope: Scope): bound.Query {
  const { columns } = scope.statement.resolveQuery(node.input, scope);
  const given = argumentsOf(node);
  const find = (literal: tree.Expression) => findColumn(literal, columns);
  const literal = required('ts_column', given, node);
  const time = find(literal);
  if (!(time.type.kind in arrays))
    throw needs('ts_column', 'a DATE, DATETIME or TIMESTAMP', literal);
  const keys = elementsOf(given.get('partitioning_columns')).map(find);
  const rest = columns.filter((one) => one !== time && !keys.includes(one));
  const fills = given.has('value_columns')
    ? elementsOf(given.get('value_columns')).map((pair) => fillOf(pair, find))
    : rest.map((column): Fill => ({ column, method: 'null' }));
  const width = required('bucket_width', given, node);
  if (width.kind !== 'interval') throw needs('bucket_width', 'an INTERVAL literal', width);
  const origin = given.get('origin');
  const text = writeQuery({
    time,
    keys,
    fills,
    width: printExpression(width),
    origin: origin === undefined ? '' : `, ${printExpression(origin)}`,
    ignoresNulls: !isFalse(given.get('ignore_null_values')),
  });
  const query = parse(text);
  const ctes = query.ctes.map((cte, index) => (index === 0 ? { ...cte, query: node.input } : cte));
  return scope.statement.resolveQuery({ ...query, ctes, at: node.at }, scope);
}

const names = [
  ...['ts_column', 'bucket_width', 'partitioning_columns', 'value_columns', 'origin'],
  'ignore_null_values',
];

type Given = ReadonlyMap<string, tree.Expression>;

function argumentsOf({ arguments: given }: tree.GapFill): Given {
  return new Map(
    given.map(({ name, value }, index) => {
      const key = name?.name.toLowerCase() ?? names[index] ?? '';
      if (names.includes(key)) return [key, value];
      const near = didYouMean(key, names);
      const message = `GAP_FILL has no argument ${shortName(key)}${near}`;
      throw new QueryFault(message, name?.at ?? value.at);
    }),
  );
}

function required(name: string, given: Given, { at }: tree.GapFill): tree.Expression {
  const value = given.get(name);
  if (value === undefined) throw new QueryFault(`GAP_FILL needs the argument ${name}`, at);
  return value;
}

function needs(name: string, what: string, { at }: tree.Expression): QueryFault {
  return new QueryFault(`The argument ${name} of GAP_FILL must be ${what}`, at);
}

function textOf(literal: tree.Expression): string {
  if (literal.kind === 'literal' && literal.type === 'STRING') return literal.value;
  throw new QueryFault(
    'GAP_FILL takes names of columns and methods as string literals',
    literal.at,
  );
}

function isFalse(value: tree.Expression | undefined): boolean {
  return value?.kind === 'literal' && value.value === 'false';
}

function elementsOf(list: tree.Expression | undefined): readonly tree.Expression[] {
  if (list === undefined) return [];
  if (list.kind === 'array') return list.elements;
  throw new QueryFault('GAP_FILL takes a list of columns as an array literal', list.at);
}

function findColumn(literal: tree.Expression, columns: readonly bound.Column[]): bound.Column {
  const name = textOf(literal);
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

/** `('column', 'method')`, or `('column')`. */
function fillOf(pair: tree.Expression, find: (literal: tree.Expression) => bound.Column): Fill {
  const [name = pair, given] = pair.kind === 'struct' ? pair.fields.map(({ value }) => value) : [];
  const column = find(name);
  const method = given === undefined ? 'null' : textOf(given).toLowerCase();
  const isNumber = numbers.includes(column.type.kind);
  if (methods.includes(method) && (method !== 'linear' || isNumber)) return { column, method };
  throw needs(
    'value_columns',
    `pairs of a column and one of ${methods.join(', ')}, linear for numbers only`,
    pair,
  );
}

interface Parts {
  readonly time: bound.Column;
  readonly keys: readonly bound.Column[];
  readonly fills: readonly Fill[];
  readonly width: string;
  readonly origin: string;
  readonly ignoresNulls: boolean;
}

/** The starts of all buckets from a start to the column `last`. */
const arrays: Readonly<Record<string, (start: string, width: string) => string>> = {
  DATE: (start, width) => `generate_date_array(${start}, last, ${width})`,
  TIMESTAMP: (start, width) => `generate_timestamp_array(${start}, last, ${width})`,
  DATETIME: (start, width) =>
    `array(select datetime(t, 'UTC') from unnest(generate_timestamp_array(timestamp(${start}), timestamp(last), ${width})) as t)`,
};

/** The query over the CTE `input`. */
function writeQuery({ time, keys, fills, width, origin, ignoresNulls }: Parts): string {
  const quote = (name: string) => nameText({ name, quoted: true });
  const kind = time.type.kind;
  const start = `${kind}_bucket(first, ${width}${origin})`;
  const array = arrays[kind]?.(start, width) ?? '';
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
    const share = `${kind}_diff(t, a${i}.t, ${unit}) / ${kind}_diff(b${i}.t, a${i}.t, ${unit})`;
    const line = `a${i}.v + (b${i}.v - a${i}.v) * (${share})`;
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
        select ${k}t, true${', null'.repeat(fills.length)} from ends cross join unnest(${array}) as t
        where t >= first)
      window earlier as (${order} unbounded preceding and current row),
        later as (${order} current row and unbounded following))
    select t as ${quote(time.name)}${output}${filled.join('')} from around where is_start`;
}
