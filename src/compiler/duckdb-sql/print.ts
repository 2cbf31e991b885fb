import type * as d from './duckdb-sql.js';

/**
 * The last stage: prints a statement's tree as SQL. Every identifier is quoted, every literal escaped and
 * every operator parenthesised. No other code prints SQL for a compiled query.
 */
export function printStatement(query: d.DuckQuery): string {
  const ctes = query.ctes.map(
    (cte) =>
      `${quote(cte.name)} AS ${materialization[cte.evaluation]}(\n${printStatement(cte.query)}\n)`,
  );
  const isRecursive = query.ctes.some(({ evaluation }) => evaluation === 'recursive');
  return joinLines([
    ctes.length > 0 && `WITH ${isRecursive ? 'RECURSIVE ' : ''}${ctes.join(',\n')}`,
    printBody(query.body),
    query.orderBy.length > 0 && `ORDER BY ${printOrder(query.orderBy)}`,
    query.limit && `LIMIT ${printDuckExpression(query.limit)}`,
    query.offset && `OFFSET ${printDuckExpression(query.offset)}`,
  ]);
}

const materialization = {
  inline: 'NOT MATERIALIZED ',
  automatic: '',
  stored: 'MATERIALIZED ',
  recursive: 'MATERIALIZED ',
} as const;

/** An identifier in quotes. */
export function quote(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function joinLines(lines: readonly (string | false | undefined)[]): string {
  return lines.filter((line) => typeof line === 'string').join('\n');
}

function printBody(body: d.DuckQuery['body']): string {
  if (body.kind === 'query') return `(\n${printStatement(body)}\n)`;
  if (body.kind === 'select') return printSelect(body);
  const operator = `${body.operator}${body.distinct ? '' : ' ALL'}`;
  return body.operands.map((operand) => `(\n${printStatement(operand)}\n)`).join(`\n${operator}\n`);
}

function printSelect(select: d.DuckSelect): string {
  const items = join(
    select.items,
    ', ',
    ({ name, value }) => `${printDuckExpression(value)} AS ${quote(name)}`,
  );
  return joinLines([
    `SELECT ${select.distinct ? 'DISTINCT ' : ''}${items}`,
    select.from && `FROM ${printFrom(select.from)}`,
    select.where.length > 0 && `WHERE ${join(select.where, ' AND ', printDuckExpression)}`,
    printGroupBy(select),
    select.qualify && `QUALIFY ${printDuckExpression(select.qualify)}`,
  ]);
}

function printGroupBy({ items, groupKeys = 0, groupSets }: d.DuckSelect): string | undefined {
  if (groupSets !== undefined) {
    const sets = groupSets.map((set) => `(${list(set.flatMap((key) => items[key]?.value ?? []))})`);
    return `GROUP BY GROUPING SETS (${sets.join(', ')})`;
  }
  const keys = Array.from({ length: groupKeys }, (_, index) => String(index + 1));
  return keys.length > 0 ? `GROUP BY ${keys.join(', ')}` : undefined;
}

function printFrom(from: d.DuckFrom): string {
  switch (from.kind) {
    case 'table':
      return `${from.path.map(quote).join('.')} AS ${quote(from.alias)}`;
    case 'derived':
      return `(\n${printStatement(from.query)}\n) AS ${quote(from.alias)}${printColumns(from.columns)}`;
    case 'join': {
      const right =
        from.right.kind === 'join' ? `(${printFrom(from.right)})` : printFrom(from.right);
      const on = from.on === undefined ? '' : ` ON ${printDuckExpression(from.on)}`;
      return `${printFrom(from.left)} ${from.join} JOIN ${right}${on}`;
    }
  }
}

function printColumns(columns: readonly string[] = []): string {
  return columns.length === 0 ? '' : `(${columns.map(quote).join(', ')})`;
}

function printOrder(order: readonly d.DuckOrder[]): string {
  const keys = order.map(({ value, descending, nulls }) => {
    const key = typeof value === 'number' ? String(value) : printDuckExpression(value);
    return `${key} ${descending ? 'DESC' : 'ASC'}${nulls === undefined ? '' : ` NULLS ${nulls}`}`;
  });
  return keys.join(', ');
}

function list(expressions: readonly d.DuckExpression[]): string {
  return join(expressions, ', ', printDuckExpression);
}

/** Prints and joins parts. Unlike `join` of an array, `+` does not copy the printed parts. */
function join<T>(parts: readonly T[], separator: string, printPart: (part: T) => string): string {
  let text = '';
  let before = '';
  for (const part of parts) {
    text += before + printPart(part);
    before = separator;
  }
  return text;
}

type Kind = d.DuckExpression['kind'];
type ExpressionOf<K> = d.DuckExpression & { readonly kind: K };
type Printers = { readonly [K in Kind]: (node: ExpressionOf<K>) => string };

/** The printers of expressions, by kind. */
const printers: Printers = {
  column: ({ table, name }) => `${quote(table)}.${quote(name)}`,
  name: ({ name }) => quote(name),
  field: ({ of, name }) => `struct_extract(${printDuckExpression(of)}, ${literal(name)})`,
  text: ({ value }) => literal(value),
  number: ({ digits }) => printNumber(digits),
  word: ({ word }) => word,
  // The call hides the type of the parameter. If the engine knew it, it would plan the statement twice:
  // when it is prepared, and again with the values.
  parameter: ({ name }) => `coalesce($${name}, NULL)`,
  call: printCall,
  infix: ({ operator, operands }) => `(${join(operands, ` ${operator} `, printDuckExpression)})`,
  prefix: ({ operator, operand }) => `(${operator} ${printDuckExpression(operand)})`,
  'is-null': ({ of, not }) => `(${printDuckExpression(of)} IS ${not ? 'NOT ' : ''}NULL)`,
  cast: ({ of, type, safe }) =>
    `${safe ? 'TRY_CAST' : 'CAST'}(${printDuckExpression(of)} AS ${type})`,
  case: ({ operand, whens, otherwise }) => {
    const branches = join(
      whens,
      ' ',
      ({ when, result }) => `WHEN ${printDuckExpression(when)} THEN ${printDuckExpression(result)}`,
    );
    const end = otherwise === undefined ? '' : ` ELSE ${printDuckExpression(otherwise)}`;
    const head = operand === undefined ? 'CASE' : `CASE ${printDuckExpression(operand)}`;
    return `${head} ${branches}${end} END`;
  },
  list: ({ elements }) => `[${list(elements)}]`,
  struct: ({ fields }) => `struct_pack(${fields.map(printField).join(', ')})`,
  lambda: ({ parameters, body }) =>
    `lambda ${parameters.map(quote).join(', ')}: ${printDuckExpression(body)}`,
  in: ({ operand, values }) => `(${printDuckExpression(operand)} IN (${list(values)}))`,
  subquery: ({ form, operand, query }) => {
    const word = { SCALAR: '', ARRAY: 'ARRAY', EXISTS: 'EXISTS ', IN: ' IN ' }[form];
    const left = operand === undefined ? '' : printDuckExpression(operand);
    return `${left}${word}(\n${printStatement(query)}\n)`;
  },
};

/** Prints an expression. */
export function printDuckExpression<K extends Kind>(node: ExpressionOf<K>): string {
  return printers[node.kind](node);
}

/**
 * Prints a field of a struct. In a sub-select, the engine loses the field's name if its value is a bare call of a
 * macro; some of DuckDB's own functions are macros.
 */
function printField({ name, value }: d.DuckItem): string {
  const printed = printDuckExpression(value);
  return `${quote(name)} := ${value.kind === 'call' ? `coalesce(${printed})` : printed}`;
}

function printCall(node: d.DuckCall): string {
  const { path, args, orderBy = [], filter, over } = node;
  const order = orderBy.length > 0 ? ` ORDER BY ${printOrder(orderBy)}` : '';
  const inside = `${node.distinct ? 'DISTINCT ' : ''}${list(args)}${order}${node.ignoreNulls ? ' IGNORE NULLS' : ''}`;
  const where = filter === undefined ? '' : ` FILTER (WHERE ${printDuckExpression(filter)})`;
  return `${printPath(path)}(${inside})${where}${over === undefined ? '' : printWindow(over)}`;
}

function printWindow({ partitionBy, orderBy, frame }: d.DuckWindow): string {
  const clauses = [
    partitionBy.length > 0 && `PARTITION BY ${list(partitionBy)}`,
    orderBy.length > 0 && `ORDER BY ${printOrder(orderBy)}`,
    frame && `${frame.unit} BETWEEN ${printBound(frame.start)} AND ${printBound(frame.end)}`,
  ];
  return ` OVER (${clauses.filter((clause) => typeof clause === 'string').join(' ')})`;
}

function printBound({ kind, offset }: d.DuckBound): string {
  if (kind === 'CURRENT ROW') return kind;
  return `${offset === undefined ? 'UNBOUNDED' : printDuckExpression(offset)} ${kind}`;
}

/**
 * Prints a path. Plain names stay unquoted: DuckDB does not find functions of its grammar, such as coalesce, in quotes.
 */
function printPath(path: readonly string[]): string {
  return join(path, '.', (part) => (plainName.test(part) ? part : quote(part)));
}

const plainName = /^[a-z_][a-z0-9_]*$/;

function printNumber(digits: string): string {
  if (!number.test(digits)) throw new Error('not a number');
  return digits;
}

const number = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/** `it's` -> `'it''s'`; a NUL, which DuckDB's parser refuses, becomes `chr(0)`. */
function literal(value: string): string {
  if (!value.includes('\0')) return `'${value.replaceAll("'", "''")}'`;
  return `(${value.split('\0').map(literal).join(' || chr(0) || ')})`;
}
