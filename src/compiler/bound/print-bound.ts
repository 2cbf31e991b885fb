import { shortTypeName, type Type } from '../../types/types.js';
import type {
  BoundCall,
  BoundClauses,
  BoundExpression,
  BoundFrameBound,
  BoundFrom,
  BoundGrouping,
  BoundItem,
  BoundOrder,
  BoundQuery,
  BoundSelect,
  BoundWindow,
  Column,
} from './bound.js';

/**
 * Prints a bound query for `explain`, similar to GoogleSQL: each column has its id, as in `path#7`, and
 * each item of a SELECT list its type.
 */
export function printBound(query: BoundQuery): string {
  const ctes = query.ctes.map((cte) => `${cte.name} AS (${indented(printBound(cte.query))})`);
  return lines([
    ctes.length > 0 && `${printWith(query)} ${ctes.join(', ')}`,
    printBody(query.body),
    query.orderBy.length > 0 && `ORDER BY ${printOrders(query.orderBy)}`,
    query.limit && `LIMIT ${printExpression(query.limit)}`,
    query.offset && `OFFSET ${printExpression(query.offset)}`,
  ]);
}

function printWith({ ctes }: BoundQuery): string {
  const isRecursive = ctes.some(({ query: { body } }) => 'recursion' in body);
  return isRecursive ? 'WITH RECURSIVE' : 'WITH';
}

function lines(parts: readonly (string | false | undefined)[]): string {
  return parts.filter((part) => typeof part === 'string').join('\n');
}

function indented(text: string): string {
  return `\n${text.replace(/^/gm, '  ')}\n`;
}

function printBody(body: BoundQuery['body']): string {
  if (body.kind === 'query') return `(${indented(printBound(body))})`;
  if (body.kind === 'select') return printSelect(body);
  const operator = `\n${body.operator}${body.distinct ? '' : ' ALL'}\n`;
  return body.operands.map((operand) => `(${indented(printBound(operand))})`).join(operator);
}

function printSelect({ distinct, items, from, where, grouping, ...rest }: BoundSelect): string {
  const list = items.map((item) => `\n  ${printItem(item)} ${shortType(item.value.type)}`);
  return lines([
    `SELECT${distinct ? ' DISTINCT' : ''}${list.join(',')}`,
    from.kind !== 'none' && `FROM ${printFrom(from)}`,
    where && `WHERE ${printExpression(where)}`,
    grouping && printGrouping(grouping),
    rest.having && `HAVING ${printExpression(rest.having)}`,
    rest.qualify && `QUALIFY ${printExpression(rest.qualify)}`,
  ]);
}

function printItem({ column, value }: BoundItem): string {
  return `${printExpression(value)} AS ${printColumn(column)}`;
}

function printGrouping({ keys, sets, aggregates }: BoundGrouping): string {
  const list = (items: readonly BoundItem[]) => items.map(printItem).join(', ');
  const setTexts = sets?.map((set) => `(${set.map((index) => index + 1).join(', ')})`);
  const by = keys.length === 0 ? '()' : list(keys);
  return lines([
    `GROUP BY ${by}${setTexts === undefined ? '' : ` IN SETS ${setTexts.join(', ')}`}`,
    aggregates.length > 0 && `AGGREGATE ${list(aggregates)}`,
  ]);
}

/** Keys and aggregates have fingerprints as names, which are not readable. */
function printColumn({ name, id }: Column): string {
  return `${/^\w+$/.test(name) ? name : ''}#${id}`;
}

function printFrom(from: BoundFrom): string {
  switch (from.kind) {
    case 'none':
      return '(one row)';
    case 'source':
      return `logs.${from.source.name}${printColumns(from.columns)}`;
    case 'cte':
      return `${from.cte.name}${printColumns(from.columns)}`;
    case 'self':
      return `${from.name}${printColumns(from.columns)}`;
    case 'table':
      return `temp.${from.table}${printColumns(from.columns)}`;
    case 'derived':
      return `(${indented(printBound(from.query))})${printColumns(from.columns)}`;
    case 'unnest': {
      const columns = [from.element, ...(from.offset === undefined ? [] : [from.offset])];
      const array = `UNNEST(${printExpression(from.array)})${printColumns(columns)}`;
      const left = from.left.kind === 'none' ? '' : `${printFrom(from.left)}\n  ${from.join} JOIN `;
      return `${left}${array}${printOn(from.on)}`;
    }
    case 'join':
      return `${printFrom(from.left)}\n  ${from.join} JOIN ${printFrom(from.right)}${printOn(from.on)}`;
  }
}

function printColumns(columns: readonly Column[]): string {
  return `(${columns.map(printColumn).join(', ')})`;
}

function printOn(on: BoundExpression | undefined): string {
  return on === undefined ? '' : ` ON ${printExpression(on)}`;
}

function printOrders(orders: readonly BoundOrder[]): string {
  const keys = orders.map(({ value, descending, nulls }) => {
    const key = `${printExpression(value)}${descending ? ' DESC' : ''}`;
    return nulls === undefined ? key : `${key} NULLS ${nulls}`;
  });
  return keys.join(', ');
}

/** The name of a type; that of a record could list hundreds of fields. */
function shortType(type: Type): string {
  return shortTypeName(type, 60);
}

type Printers = {
  readonly [K in BoundExpression['kind']]: (node: Extract<BoundExpression, { kind: K }>) => string;
};

const printers: Printers = {
  column: ({ column }) => printColumn(column),
  literal: ({ value, type }) => (type.kind === 'STRING' ? JSON.stringify(value) : `${value}`),
  parameter: ({ name }) => `@${name}`,
  part: ({ part }) => part,
  field: ({ of, name }) => `${printExpression(of)}.${name}`,
  plain: ({ of }) => `PLAIN(${printExpression(of)})`,
  only: ({ of }) => `ONLY(${printExpression(of)})`,
  inlined: ({ of }) => printExpression(of),
  cast: ({ of, type, safe }) =>
    `${safe ? 'SAFE_CAST' : 'CAST'}(${printExpression(of)} AS ${shortType(type)})`,
  'is-null': ({ of }) => `(${printExpression(of)} IS NULL)`,
  call: printCall,
  case: ({ operand, whens, otherwise }) => {
    const head = operand === undefined ? 'CASE' : `CASE ${printExpression(operand)}`;
    const branches = whens.map(
      ({ when, result }) => ` WHEN ${printExpression(when)} THEN ${printExpression(result)}`,
    );
    return `${head}${branches.join('')} ELSE ${printExpression(otherwise)} END`;
  },
  array: ({ elements }) => `[${printList(elements)}]`,
  struct: ({ values }) => `STRUCT(${printList(values)})`,
  subquery: ({ form, operand, query }) => {
    const inner = `(${indented(printBound(query))})`;
    if (form === 'IN') return `(${operand && printExpression(operand)} IN ${inner})`;
    return form === 'SCALAR' ? inner : `${form}${inner}`;
  },
};

function printExpression(node: BoundExpression): string {
  return (printers[node.kind] as (node: BoundExpression) => string)(node);
}

function printList(expressions: readonly BoundExpression[]): string {
  return expressions.map(printExpression).join(', ');
}

/** `$+(a, b)` -> `(a + b)`; calls of functions and word operators keep the form of a call. */
function printCall({ function: { name }, args, safe, clauses }: BoundCall): string {
  const operator = /^\$([^A-Za-z_]+|AND|OR)$/.exec(name)?.[1];
  if (operator !== undefined && args.length > 1 && clauses === undefined) {
    return `(${args.map(printExpression).join(` ${operator} `)})`;
  }
  const head = `${safe ? 'SAFE.' : ''}${name.replace('$', '').toUpperCase()}`;
  return `${head}(${printList(args)}${clauses ? printClauses(clauses) : ''})${printOver(clauses)}`;
}

function printClauses({ distinct, ignoreNulls, orderBy, limit, having }: BoundClauses): string {
  const clauses = [
    distinct && 'DISTINCT',
    ignoreNulls && 'IGNORE NULLS',
    having && `HAVING ${having.kind} ${printExpression(having.value)}`,
    orderBy.length > 0 && `ORDER BY ${printOrders(orderBy)}`,
    limit && `LIMIT ${printExpression(limit)}`,
  ];
  return clauses.flatMap((clause) => (typeof clause === 'string' ? ` ${clause}` : [])).join('');
}

function printOver(clauses: BoundClauses | undefined): string {
  return clauses?.over === undefined ? '' : ` OVER (${printWindow(clauses.over)})`;
}

function printWindow({ partitionBy, orderBy, frame }: BoundWindow): string {
  const parts = [
    partitionBy.length > 0 && `PARTITION BY ${printList(partitionBy)}`,
    orderBy.length > 0 && `ORDER BY ${printOrders(orderBy)}`,
    frame && `${frame.unit} BETWEEN ${[frame.start, frame.end].map(printEnd).join(' AND ')}`,
  ];
  return parts.filter((part) => typeof part === 'string').join(' ');
}

function printEnd({ kind, offset }: BoundFrameBound): string {
  if (kind === 'CURRENT ROW') return kind;
  return `${offset === undefined ? 'UNBOUNDED' : printExpression(offset)} ${kind}`;
}
