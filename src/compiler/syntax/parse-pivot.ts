import { QueryFault } from '../../errors/query-fault.js';
import type { Cursor } from './cursor.js';
import type {
  Call,
  DerivedTable,
  Expression,
  FromItem,
  Identifier,
  Query,
  Select,
  SelectItem,
} from './tree.js';

/** Whether the operator PIVOT or UNPIVOT comes next, rather than an alias of that name. */
export function atPivot(cursor: Cursor): boolean {
  if (cursor.at('PIVOT', '(') || cursor.at('UNPIVOT', '(')) return true;
  return cursor.at('UNPIVOT') && ['INCLUDE', 'EXCLUDE'].includes(cursor.peek(1).text.toUpperCase());
}

/**
 * Applies the PIVOT and UNPIVOT operators after an item, if any: each becomes an equivalent subquery.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#pivot_operator
 */
export function parsePivots(
  cursor: Cursor,
  item: FromItem,
  parseAlias: () => Pick<DerivedTable, 'alias'>,
): FromItem {
  if (!atPivot(cursor)) return item;
  const { at } = cursor.next;
  const select = cursor.accept('PIVOT')
    ? parsePivot(cursor, item, at)
    : unpivotSelect(parseUnpivot(cursor), item, at);
  const query = { kind: 'query', ctes: [], body: select, orderBy: [], at } as const;
  return parsePivots(cursor, { kind: 'derived', query, ...parseAlias(), at }, parseAlias);
}

/** The maximum number of columns that a PIVOT creates: a short text must not become a huge tree. */
const maxColumns = 1_000;

/** `value [AS alias]`, in a list of PIVOT. */
interface Aliased {
  readonly value: Expression;
  readonly alias?: Identifier;
}

/**
 * `t pivot (sum(n) as s for c in ('x' as cx))` ->
 * `(select * except (n, c), sum(if(c = 'x', n, null)) as s_cx from t group by all)`
 */
function parsePivot(cursor: Cursor, item: FromItem, at: number): Select {
  cursor.expect('(');
  const aggregates = cursor.list(() => parseAliased(cursor));
  cursor.expect('FOR');
  const input = parseColumn(cursor);
  cursor.expect('IN', '(');
  const values = cursor.list(() => parseAliased(cursor));
  cursor.expect(')', ')');
  if (aggregates.length * values.length > maxColumns) {
    throw new QueryFault(`PIVOT makes at most ${maxColumns} columns`, at, 'resourcesExceeded');
  }
  const calls = aggregates.map(({ value, alias }) => ({ call: asCall(value), alias }));
  const used = [input, ...calls.flatMap(({ call }) => call.arguments.map(({ value }) => value))];
  const columns = values.flatMap((value) =>
    calls.map(({ call, alias }): SelectItem => {
      const name = [alias?.name, nameOfValue(value)].filter((part) => part !== undefined).join('_');
      const test = equal(input, value.value);
      return {
        kind: 'item',
        value: aggregateWhere(call, test),
        ...(name === '' ? {} : { alias: quotedName(name, at) }),
        at,
      };
    }),
  );
  const rest = { kind: 'star', except: columnsOf(used), replace: [], at } as const;
  return block([rest, ...columns], item, { groupBy: { all: true, items: [], at }, at });
}

/** The parts of `unpivot (values for key in (sets))`: each set has one column per value, and a label. */
interface Unpivot {
  readonly values: readonly Identifier[];
  readonly key: Identifier;
  readonly sets: readonly { readonly columns: readonly Identifier[]; readonly label: Expression }[];
  readonly keepsNulls: boolean;
}

function parseUnpivot(cursor: Cursor): Unpivot {
  cursor.expect('UNPIVOT');
  const keepsNulls = cursor.acceptOne('INCLUDE', 'EXCLUDE') === 'INCLUDE';
  cursor.accept('NULLS');
  cursor.expect('(');
  const values = parseNames(cursor);
  cursor.expect('FOR');
  const key = cursor.identifier();
  cursor.expect('IN', '(');
  const sets = cursor.list(() => parseSet(cursor, values.length));
  cursor.expect(')', ')');
  return { values, key, sets, keepsNulls };
}

/**
 * `t unpivot (v for k in (a, b))`, or `((v, w) for k in ((a, b), …))` ->
 * `(select t.* except (a, b), u.v, u.k from (select * from t) t
 * cross join unnest([struct(a as v, 'a' as k), …]) u where u.v is not null)`
 */
function unpivotSelect({ values, key, sets, keepsNulls }: Unpivot, item: FromItem, at: number) {
  const [rows, cells] = [quotedName('$rows', at), quotedName('$cells', at)];
  const structs = sets.map(({ columns, label }): Expression => {
    const fields = columns.map((column, i) => ({
      value: path(column),
      alias: values[i] ?? column,
    }));
    return { kind: 'struct', fields: [...fields, { value: label, alias: key }], at };
  });
  const all = block([{ kind: 'star', except: [], replace: [], at }], item, { at });
  const query: Query = { kind: 'query', ctes: [], body: all, orderBy: [], at };
  const left: FromItem = { kind: 'derived', query, alias: rows, at };
  const array: Expression = { kind: 'array', elements: structs, at };
  const right: FromItem = { kind: 'unnest', array, alias: cells, at };
  const from: FromItem = { kind: 'join', type: 'CROSS', isComma: false, left, right, at };
  const except = sets.flatMap(({ columns }) => columns);
  const items: readonly SelectItem[] = [
    { kind: 'star', of: path(rows), except, replace: [], at },
    ...[...values, key].map((name): SelectItem => {
      return { kind: 'item', value: path(cells, name), alias: name, at };
    }),
  ];
  const tests = values.map((value): Expression => {
    return { kind: 'is', operand: path(cells, value), not: true, test: 'NULL', at };
  });
  return block(items, from, keepsNulls ? { at } : { where: anyOf(tests, at), at });
}

function anyOf(operands: readonly Expression[], at: number): Expression {
  const [first] = operands;
  if (first !== undefined && operands.length === 1) return first;
  return { kind: 'logical', operator: 'OR', operands, at };
}

function block(
  items: readonly SelectItem[],
  from: FromItem,
  clauses: Pick<Select, 'where' | 'groupBy' | 'at'>,
): Select {
  return { kind: 'select', distinct: false, items, from, windows: [], ...clauses };
}

function parseAliased(cursor: Cursor): Aliased {
  const value = cursor.expression();
  if (cursor.accept('AS') || cursor.atIdentifier()) return { value, alias: cursor.identifier() };
  return { value };
}

/** `v` or `(v, w)`. */
function parseNames(cursor: Cursor): readonly Identifier[] {
  if (!cursor.accept('(')) return [cursor.identifier()];
  const names = cursor.list(() => cursor.identifier());
  cursor.expect(')');
  return names;
}

/** `column [as 'label']` or `(a, b) [as 'label']`; by default the label is the columns' names. */
function parseSet(cursor: Cursor, count: number) {
  const { at } = cursor.next;
  const columns = parseNames(cursor);
  if (columns.length !== count) {
    const message = `UNPIVOT expects ${count} column(s) in each group here, but got ${columns.length}`;
    throw new QueryFault(message, at);
  }
  cursor.accept('AS');
  const hasLabel = ['string', 'integer'].includes(cursor.next.kind);
  const name = columns.map((column) => column.name).join('_');
  const label: Expression = hasLabel
    ? cursor.expression()
    : { kind: 'literal', type: 'STRING', value: name, at };
  return { columns, label };
}

/** The resolver checks whether the function is an aggregate. */
function asCall(value: Expression): Call {
  if (value.kind === 'call') return { ...value, isPivot: true };
  throw new QueryFault('PIVOT expression must be an aggregate function call', value.at);
}

/** The aggregate over the rows that pass the test: the others contribute NULL, which it ignores. */
function aggregateWhere(call: Call, test: Expression): Call {
  const [first, ...others] = call.arguments;
  const { at } = call;
  const name = call.path.at(-1)?.name.toLowerCase();
  if (first === undefined) return call;
  if (first.value.kind === 'star') {
    if (name !== 'count') return call;
    return { ...call, path: [quotedName('countif', at)], arguments: [{ value: test }] };
  }
  const nullLiteral: Expression = { kind: 'literal', type: 'NULL', value: 'NULL', at };
  const args = [test, first.value, nullLiteral].map((value) => ({ value }));
  const value: Expression = {
    kind: 'call',
    path: [quotedName('if', at)],
    arguments: args,
    distinct: false,
    orderBy: [],
    at,
  };
  const nulls = name === 'array_agg' ? ({ nulls: 'IGNORE' } as const) : {};
  return { ...call, arguments: [{ value }, ...others], ...nulls };
}

function equal(left: Expression, right: Expression): Expression {
  return { kind: 'binary', operator: '=', left, right, at: right.at };
}

/**
 * The part of an output column's name that comes from a value of the IN list.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#pivot_operator
 */
function nameOfValue({ value, alias }: Aliased): string {
  const name = alias?.name ?? impliedName(value);
  if (name !== undefined) return name;
  throw new QueryFault('A PIVOT value that is not a literal needs an alias', value.at);
}

/** `1.5` -> `_1_point_5`, `-1` -> `minus_1`, `date '2026-03-01'` -> `_2026_03_01`. */
function impliedName(node: Expression): string | undefined {
  if (node.kind === 'unary' && node.operator === '-') {
    const positive = node.operand.kind === 'literal' ? impliedName(node.operand) : undefined;
    return positive && `minus${positive}`;
  }
  if (node.kind === 'literal') return nameOfLiteral(node.type, node.value);
  return node.kind === 'typed-literal' ? nameOfLiteral(node.type, node.value) : undefined;
}

function nameOfLiteral(type: string, value: string): string | undefined {
  if (['INT64', 'NUMERIC', 'BIGNUMERIC', 'FLOAT64'].includes(type)) {
    const digits = value.replace('.', '_point_');
    return digits.startsWith('-') ? `minus_${digits.slice(1)}` : `_${digits}`;
  }
  if (type === 'BOOL') return value.toUpperCase();
  if (!['STRING', 'NULL', 'DATE'].includes(type)) return undefined;
  const text = value.replaceAll(/[^A-Za-z0-9_]/g, '_');
  return /^\d/.test(text) ? `_${text}` : text;
}

/** The columns that expressions read: the first part of each path in them. */
function columnsOf(expressions: readonly Expression[]): readonly Identifier[] {
  const found = new Map<string, Identifier>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    const { kind, parts } = node as {
      readonly kind?: unknown;
      readonly parts?: readonly Identifier[];
    };
    const [first] = kind === 'path' ? (parts ?? []) : [];
    if (first !== undefined) found.set(first.name.toLowerCase(), first);
    for (const child of Object.values(node)) visit(child);
  };
  for (const expression of expressions) visit(expression);
  return [...found.values()];
}

/** The input column: not parsed as an expression, which would include the IN after it. */
function parseColumn(cursor: Cursor): Expression {
  const parts = [cursor.identifier()];
  while (cursor.accept('.')) parts.push(cursor.identifier(true));
  return path(...parts);
}

function path(...parts: readonly Identifier[]): Expression {
  return { kind: 'path', parts, at: parts[0]?.at ?? 0 };
}

function quotedName(name: string, at: number): Identifier {
  return { name, quoted: true, at };
}
