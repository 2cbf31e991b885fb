import type { Identifier } from './names.js';
import { nameText } from './print-literal.js';
import type {
  AggregateItem,
  AggregateKey,
  Cte,
  Expression,
  FromItem,
  GroupItem,
  Join,
  NamedWindow,
  OrderItem,
  Pipeline,
  PipeOperator,
  Pivot,
  Query,
  SelectExpression,
  SelectItem,
  SetOperation,
} from './tree.js';

/** The printers of the parts of operators, passed in because they print queries, too. */
export interface PartPrinters {
  readonly text: (node: Expression) => string;
  readonly bracketed: (query: Query) => string;
  readonly ctesText: (ctes: readonly Cte[]) => string;
  readonly fromText: (item: FromItem) => string;
  readonly joinText: (join: Join) => string;
  readonly pivotText: (pivot: Pivot) => string;
  readonly itemText: (item: SelectItem) => string;
  readonly aliasedText: (item: Pick<SelectExpression, 'value' | 'alias'>) => string;
  readonly aliasText: (alias: Identifier | undefined) => string;
  readonly windowsText: (windows: readonly NamedWindow[]) => string;
  readonly groupText: (item: GroupItem) => string;
  readonly orderText: (items: readonly OrderItem[]) => string;
  readonly setOperatorText: (node: Omit<SetOperation, 'kind' | 'operands'>) => string;
}

/** Prints a query in pipe syntax, one operator a line. */
export function printPipeline({ input, operators }: Pipeline, print: PartPrinters): string {
  const lines = operators.map((operator) => `|> ${operatorText(operator, print)}`);
  return [`FROM ${print.fromText(input)}`, ...lines].join('\n');
}

type Printers = {
  readonly [K in PipeOperator['kind']]: (
    node: Extract<PipeOperator, { readonly kind: K }>,
    print: PartPrinters,
  ) => string;
};

const printers: Printers = {
  'pipe-where': ({ where }, { text }) => `WHERE ${text(where)}`,
  'pipe-select': ({ distinct, as, items, windows }, print) => {
    const head = `SELECT ${distinct ? 'DISTINCT ' : ''}${as === undefined ? '' : `AS ${as} `}`;
    return `${head}${items.map(print.itemText).join(', ')}${print.windowsText(windows)}`;
  },
  'pipe-extend': ({ items, windows }, print) =>
    `EXTEND ${items.map(print.itemText).join(', ')}${print.windowsText(windows)}`,
  'pipe-set': ({ items }, { text }) =>
    `SET ${items.map(({ alias, value }) => `${nameText(alias)} = ${text(value)}`).join(', ')}`,
  'pipe-drop': ({ columns }) => `DROP ${columns.map(nameText).join(', ')}`,
  'pipe-rename': ({ columns }) => {
    const names = columns.map(({ column, alias }) => `${nameText(column)} AS ${nameText(alias)}`);
    return `RENAME ${names.join(', ')}`;
  },
  'pipe-as': ({ alias }) => `AS ${nameText(alias)}`,
  'pipe-aggregate': ({ values, keys }, print) => {
    const all = values.map((item) => `${print.aliasedText(item)}${directionText(item)}`);
    const groups = keys?.map((key) => keyText(key, print)).join(', ');
    return ['AGGREGATE', all.join(', '), groups && `GROUP BY ${groups}`].filter(Boolean).join(' ');
  },
  'pipe-distinct': () => 'DISTINCT',
  'pipe-order-by': ({ orderBy }, { orderText }) => orderText(orderBy),
  'pipe-limit': ({ limit, offset }, { text }) =>
    `LIMIT ${text(limit)}${offset === undefined ? '' : ` OFFSET ${text(offset)}`}`,
  'pipe-join': (node, { joinText }) =>
    joinText({
      ...node,
      kind: 'join',
      isComma: false,
      left: { kind: 'piped', at: node.at },
    }).trim(),
  'pipe-set-operation': (node, { setOperatorText, bracketed }) =>
    `${setOperatorText(node)} ${node.operands.map(bracketed).join(', ')}`,
  'pipe-pivot': ({ pivot }, { pivotText }) => pivotText(pivot).trim(),
  'pipe-with': ({ ctes }, { ctesText }) => ctesText(ctes),
};

function operatorText(operator: PipeOperator, print: PartPrinters): string {
  const printer = printers[operator.kind] as Printers[keyof Printers];
  return printer(operator as never, print);
}

function keyText({ item, alias, ...key }: AggregateKey, print: PartPrinters): string {
  return `${print.groupText(item)}${print.aliasText(alias)}${directionText(key)}`;
}

function directionText({ order }: Pick<AggregateItem, 'order'>): string {
  if (order === undefined) return '';
  const nulls = order.nulls === undefined ? '' : ` NULLS ${order.nulls}`;
  return `${order.descending ? ' DESC' : ' ASC'}${nulls}`;
}
