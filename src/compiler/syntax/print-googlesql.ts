import type { Identifier } from './names.js';
import { binaryPrecedence, outerPrecedence, precedences } from './precedences.js';
import { literals, nameText, partText, pathText, stringText, typeText } from './print-literal.js';
import type * as tree from './tree.js';

/**
 * Prints a tree as GoogleSQL that parses to the same tree.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax
 */
export function printGoogleSql(query: tree.Query): string {
  return join('\n', [
    query.ctes.length > 0 && ctesText(query.ctes),
    bodyText(query.body),
    query.orderBy.length > 0 && orderText(query.orderBy),
    query.limit && `LIMIT ${printExpression(query.limit)}`,
    query.offset && `OFFSET ${printExpression(query.offset)}`,
  ]);
}

function ctesText(ctes: readonly tree.Cte[]): string {
  const texts = ctes.map(({ name, query }) => `${nameText(name)} AS ${bracketed(query)}`);
  const isRecursive = ctes.some((cte) => cte.isRecursive);
  return `${isRecursive ? 'WITH RECURSIVE' : 'WITH'} ${texts.join(',\n')}`;
}

function bracketed(query: tree.Query): string {
  return `(\n${printGoogleSql(query)}\n)`;
}

const bodyText: (body: tree.QueryBody) => string = printerByKind<tree.QueryBody>({
  query: bracketed,
  select: selectText,
  pipeline: ({ input, operators }) =>
    join('\n', [`FROM ${fromText(input)}`, ...operators.map((one) => `|> ${pipeText(one)}`)]),
  'set-operation': (node) =>
    node.operands
      .map((operand) =>
        operand.kind === 'set-operation' ? `(${bodyText(operand)})` : bodyText(operand),
      )
      .join(`\n${setOperatorText(node)}\n`),
});

function setOperatorText({ operator, distinct, match }: tree.SetOperator): string {
  const mode = match?.mode === 'STRICT' ? undefined : match?.mode;
  const columns = match?.columns && `ON (${match.columns.map(nameText).join(', ')})`;
  return join(' ', [mode, operator, distinct ? 'DISTINCT' : 'ALL', match && 'BY NAME', columns]);
}

function selectText(select: tree.Select): string {
  const { groupBy } = select;
  return join('\n', [
    selectListText(select),
    select.from && `FROM ${fromText(select.from)}`,
    select.where && `WHERE ${printExpression(select.where)}`,
    groupBy && `GROUP BY ${groupBy.all ? 'ALL' : groupBy.items.map(groupText).join(', ')}`,
    select.having && `HAVING ${printExpression(select.having)}`,
    select.qualify && `QUALIFY ${printExpression(select.qualify)}`,
  ]).concat(windowsText(select.windows));
}

function selectListText({ distinct, as, items }: tree.SelectList): string {
  const list = items.map(itemText).join(', ');
  return join(' ', ['SELECT', distinct && 'DISTINCT', as && `AS ${as}`, list]);
}

function windowsText(windows: readonly tree.NamedWindow[]): string {
  const named = windows.map(({ name, spec }) => `${nameText(name)} AS ${windowText(spec)}`);
  return named.length === 0 ? '' : `\nWINDOW ${named.join(', ')}`;
}

const itemText = printerByKind<tree.SelectItem>({ item: aliasedText, star: starText });

function aliasedText({ value, alias }: tree.AliasedValue): string {
  return `${printExpression(value)}${aliasText(alias)}`;
}

function aliasText(alias: Identifier | undefined): string {
  return alias === undefined ? '' : ` AS ${nameText(alias)}`;
}

function starText({ of, except, replace }: tree.SelectStar): string {
  return join(' ', [
    of === undefined ? '*' : `${beforeDot(of)}.*`,
    except.length > 0 && `EXCEPT (${except.map(nameText).join(', ')})`,
    replace.length > 0 && `REPLACE (${replace.map(aliasedText).join(', ')})`,
  ]);
}

const groupText = printerByKind<tree.GroupItem>({
  key: ({ value }) => printExpression(value),
  rollup: ({ sets }) => `ROLLUP(${sets.map(setText).join(', ')})`,
  cube: ({ sets }) => `CUBE(${sets.map(setText).join(', ')})`,
  sets: ({ sets }) => `GROUPING SETS (${sets.map(setText).join(', ')})`,
});

function setText(set: readonly tree.Expression[]): string {
  return set.length === 1 ? list(set) : `(${list(set)})`;
}

const fromText = printerByKind<tree.FromItem>({
  table: (item) => `${pathText(item.path)}${rangeText(item)}`,
  unnest: (item) => `UNNEST(${printExpression(item.array)})${rangeText(item)}`,
  derived: ({ query, alias }: tree.DerivedTable) => `${bracketed(query)}${aliasText(alias)}`,
  'gap-fill': ({ input, arguments: args, alias }: tree.GapFill) =>
    `GAP_FILL(${[bracketed(input), ...args.map(argumentText)].join(', ')})${aliasText(alias)}`,
  pivot: pivotText,
  // After `|>`, the table comes before the operator.
  piped: () => '',
  join: joinText,
});

function pivotText({ input, aggregates, column, values, alias }: tree.Pivot): string {
  const named = (items: readonly tree.AliasedValue[]) => items.map(aliasedText).join(', ');
  const operator = `PIVOT(${named(aggregates)} FOR ${comparandText(column)} IN (${named(values)}))`;
  return `${fromText(input)}\n${operator}${aliasText(alias)}`;
}

function rangeText({ alias, offset }: Pick<tree.TableReference, 'alias' | 'offset'>): string {
  const counted = offset === undefined ? '' : ` WITH OFFSET${aliasText(offset.alias)}`;
  return `${aliasText(alias)}${counted}`;
}

/** Prints a join; BigQuery requires brackets around a comma join before RIGHT or FULL. */
function joinText({ type, isComma, left, right, on, using }: tree.Join): string {
  const hasComma = left.kind === 'join' && left.isComma && ['RIGHT', 'FULL'].includes(type);
  return join('', [
    hasComma ? `(${fromText(left)})` : fromText(left),
    isComma ? ', ' : `\n${type} JOIN `,
    right.kind === 'join' ? `(${fromText(right)})` : fromText(right),
    on && ` ON ${printExpression(on)}`,
    using && ` USING (${using.map(nameText).join(', ')})`,
  ]);
}

/** An operator of pipe syntax. */
const pipeText = printerByKind<tree.PipeOperator>({
  'pipe-where': ({ where }) => `WHERE ${printExpression(where)}`,
  'pipe-select': ({ windows, ...list }) => `${selectListText(list)}${windowsText(windows)}`,
  'pipe-extend': ({ items, windows }) =>
    `EXTEND ${items.map(itemText).join(', ')}${windowsText(windows)}`,
  'pipe-set': ({ items }) =>
    `SET ${items.map(({ alias, value }) => `${nameText(alias)} = ${printExpression(value)}`).join(', ')}`,
  'pipe-drop': ({ columns }) => `DROP ${columns.map(nameText).join(', ')}`,
  'pipe-rename': ({ columns }) => {
    const names = columns.map(({ column, alias }) => `${nameText(column)} AS ${nameText(alias)}`);
    return `RENAME ${names.join(', ')}`;
  },
  'pipe-as': ({ alias }) => `AS ${nameText(alias)}`,
  'pipe-aggregate': ({ values, keys }) => {
    const all = values.map((item) => `${aliasedText(item)}${directionText(item)}`);
    const groups = keys && `GROUP BY ${keys.map(keyText).join(', ')}`;
    return join(' ', ['AGGREGATE', all.length > 0 && all.join(', '), groups]);
  },
  'pipe-distinct': () => 'DISTINCT',
  'pipe-order-by': ({ orderBy }) => orderText(orderBy),
  'pipe-limit': ({ limit, offset }) =>
    join(' ', [`LIMIT ${printExpression(limit)}`, offset && `OFFSET ${printExpression(offset)}`]),
  'pipe-join': (node) =>
    joinText({
      ...node,
      kind: 'join',
      isComma: false,
      left: { kind: 'piped', at: node.at },
    }).trim(),
  'pipe-set-operation': (node) =>
    `${setOperatorText(node)} ${node.operands.map(bracketed).join(', ')}`,
  'pipe-pivot': ({ pivot }) => pivotText(pivot).trim(),
  'pipe-with': ({ ctes }) => ctesText(ctes),
});

function keyText({ item, alias, ...key }: tree.AggregateKey): string {
  return `${groupText(item)}${aliasText(alias)}${directionText(key)}`;
}

function directionText({ order }: Pick<tree.AggregateItem, 'order'>): string {
  if (order === undefined) return '';
  const nulls = order.nulls === undefined ? '' : ` NULLS ${order.nulls}`;
  return `${order.descending ? ' DESC' : ' ASC'}${nulls}`;
}

function orderText(items: readonly tree.OrderItem[]): string {
  const keys = items.map(({ value, descending, nulls }) =>
    join(' ', [printExpression(value), descending && 'DESC', nulls && `NULLS ${nulls}`]),
  );
  return `ORDER BY ${keys.join(', ')}`;
}

function windowText({ name, partitionBy, orderBy, frame }: tree.WindowSpec): string {
  const clauses = join(' ', [
    partitionBy.length > 0 && `PARTITION BY ${list(partitionBy)}`,
    orderBy.length > 0 && orderText(orderBy),
    frame && frameText(frame),
  ]);
  if (name === undefined) return `(${clauses})`;
  return clauses === '' ? nameText(name) : `(${nameText(name)} ${clauses})`;
}

function frameText({ unit, start, end }: tree.WindowFrame): string {
  if (end === undefined) return `${unit} ${boundText(start)}`;
  return `${unit} BETWEEN ${boundText(start)} AND ${boundText(end)}`;
}

function boundText({ kind, offset }: tree.FrameBound): string {
  if (kind === 'CURRENT ROW') return kind;
  return `${offset === undefined ? 'UNBOUNDED' : printExpression(offset)} ${kind}`;
}

/** An expression, in brackets if its precedence is lower than required. */
function operandText(node: tree.Expression, precedence: number): string {
  return outerPrecedence(node) < precedence ? `(${printExpression(node)})` : printExpression(node);
}

/** An operand of a comparison; BigQuery does not chain comparisons. */
function comparandText(node: tree.Expression): string {
  return operandText(node, precedences.test + 1);
}

/** Prints the value before `.field`: without brackets, a path would absorb the field, and a number the dot. */
function beforeField(node: tree.Expression): string {
  return node.kind === 'path' ? `(${printExpression(node)})` : beforeDot(node);
}

function beforeDot(node: tree.Expression): string {
  const isNumber = node.kind === 'literal' && /^[\d.]/.test(printExpression(node));
  return isNumber ? `(${printExpression(node)})` : operandText(node, precedences.value);
}

function list(nodes: readonly tree.Expression[]): string {
  return nodes.map(printExpression).join(', ');
}

/** An expression as GoogleSQL. */
export const printExpression: (node: tree.Expression) => string = printerByKind<tree.Expression>({
  literal: ({ type, value }) => literals[type](value),
  'typed-literal': ({ type, value }) => `${type} ${stringText(value)}`,
  interval: ({ value, part, to }) =>
    join(' ', [
      `INTERVAL ${operandText(value, precedences.value)} ${partText(part)}`,
      to && `TO ${partText(to)}`,
    ]),
  parameter: ({ name }) => `@${name}`,
  path: ({ parts }) => pathText(parts),
  field: ({ of, name }) => `${beforeField(of)}.${nameText(name)}`,
  index: ({ of, index }) => `${operandText(of, precedences.value)}[${printExpression(index)}]`,
  star: () => '*',
  call: callText,
  unary: ({ operator, operand }) => {
    if (operator === 'NOT') return `NOT ${operandText(operand, precedences.NOT)}`;
    const value = operandText(operand, precedences.sign);
    // Two minus signs would begin a comment.
    return value.startsWith('-') ? `${operator} ${value}` : `${operator}${value}`;
  },
  binary: binaryText,
  logical: ({ operator, operands }) =>
    operands.map((node) => operandText(node, precedences[operator] + 1)).join(` ${operator} `),
  is: ({ operand, not, test }) => join(' ', [comparandText(operand), 'IS', not && 'NOT', test]),
  between: ({ operand, not, low, high }) => {
    const range = `BETWEEN ${comparandText(low)} AND ${comparandText(high)}`;
    return join(' ', [comparandText(operand), not && 'NOT', range]);
  },
  in: ({ operand, not, values }) =>
    join(' ', [comparandText(operand), not && 'NOT', 'IN', valuesText(values)]),
  case: ({ operand, whens, otherwise }) =>
    join(' ', [
      'CASE',
      operand && printExpression(operand),
      ...whens.map(
        (one) => `WHEN ${printExpression(one.when)} THEN ${printExpression(one.result)}`,
      ),
      otherwise && `ELSE ${printExpression(otherwise)}`,
      'END',
    ]),
  cast: ({ operand, type, safe, format, zone }) =>
    `${safe ? 'SAFE_CAST' : 'CAST'}(${join(' ', [printExpression(operand), 'AS', typeText(type), format && `FORMAT ${printExpression(format)}`, zone && `AT TIME ZONE ${printExpression(zone)}`])})`,
  extract: ({ part, from, zone }) =>
    `EXTRACT(${join(' ', [printExpression(part), 'FROM', printExpression(from), zone && `AT TIME ZONE ${printExpression(zone)}`])})`,
  array: ({ type, elements }) => `${type ? `ARRAY<${typeText(type)}>` : ''}[${list(elements)}]`,
  struct: ({ type, isTuple, fields }) =>
    `${type ? typeText(type) : isTuple ? '' : 'STRUCT'}(${fields.map(aliasedText).join(', ')})`,
  with: ({ variables, value }) => {
    const all = variables.map((one) => `${nameText(one.name)} AS ${printExpression(one.value)}`);
    return `WITH(${[...all, printExpression(value)].join(', ')})`;
  },
  lambda: ({ parameters, body }) => {
    const names = parameters.map(nameText).join(', ');
    return `${parameters.length === 1 ? names : `(${names})`} -> ${printExpression(body)}`;
  },
  subquery: ({ form, query }) => `${form === 'SCALAR' ? '' : form}${bracketed(query)}`,
});

function binaryText({ operator, left, right }: tree.ExpressionOf<'binary'>): string {
  const precedence = binaryPrecedence(operator);
  const first =
    precedence === precedences.test ? comparandText(left) : operandText(left, precedence);
  const isMany = / (?:ANY|ALL)$/.test(operator);
  return `${first} ${operator} ${isMany ? patternsText(right) : operandText(right, precedence + 1)}`;
}

function patternsText(patterns: tree.Expression): string {
  const isList = patterns.kind === 'array' && patterns.elements.length > 0;
  return isList ? `(${list(patterns.elements)})` : `UNNEST(${printExpression(patterns)})`;
}

function valuesText(values: tree.ExpressionOf<'in'>['values']): string {
  if ('array' in values) return `UNNEST(${printExpression(values.array)})`;
  return 'kind' in values ? bracketed(values) : `(${list(values)})`;
}

function callText(node: tree.Call): string {
  const { nulls, having, orderBy, limit, over } = node;
  const inside = join(' ', [
    node.distinct && 'DISTINCT',
    node.arguments.length > 0 && node.arguments.map(argumentText).join(', '),
    nulls && `${nulls} NULLS`,
    having && `HAVING ${having.kind} ${printExpression(having.value)}`,
    orderBy.length > 0 && orderText(orderBy),
    limit && `LIMIT ${printExpression(limit)}`,
  ]);
  return `${pathText(node.path)}(${inside})${over === undefined ? '' : ` OVER ${windowText(over)}`}`;
}

function argumentText({ name, value }: tree.NamedArgument): string {
  return `${name === undefined ? '' : `${nameText(name)} => `}${printExpression(value)}`;
}

/** Joins clauses, skipping absent ones. */
function join(between: string, clauses: readonly (string | false | undefined)[]): string {
  return clauses.filter((clause) => clause !== false && clause !== undefined).join(between);
}

/** A printer that dispatches on a node's kind; a new kind without a printer does not compile. */
function printerByKind<Node extends { readonly kind: string }>(
  printers: {
    readonly [K in Node['kind']]: (node: Node & { readonly kind: K }) => string;
  },
) {
  return <K extends Node['kind']>(node: Node & { readonly kind: K }) => printers[node.kind](node);
}
