import { joinForms, joins, materializations, setOperations, tableSchemas } from './allow-list.js';
import {
  boundName,
  type Claims,
  expression,
  order,
  type VisibleNames,
} from './check-expression.js';
import {
  asList,
  asNode,
  byType,
  type Check,
  expectText,
  flag,
  isTrue,
  listShape,
  nothing,
  number,
  oneOf,
  optional,
  record,
  refuse,
  type SerializedNode,
  textShape,
} from './shape.js';

const none: ReadonlySet<string> = new Set();

/**
 * Walks the tree that DuckDB's `json_serialize_sql` returns for a statement, and refuses everything that is not on an
 * allow-list: kinds of nodes, properties, functions, tables and names.
 * @throws Error `Refused statement: …`
 */
export function checkStatement(serialized: string, claims: Claims): void {
  const scope = { ...claims, ctes: none, aliases: none, outerAliases: none, lambdas: none };
  const tree = asNode(parseTree(serialized), 'tree');
  const { error, error_message: message, statements } = tree;
  if (error !== false) refuse('statement', message);
  if (asList(statements, 'statements').length !== 1) refuse('statements', statements);
  root(tree, { ...scope, subquery: nested }, 'tree');
}

function parseTree(serialized: string): unknown {
  try {
    return JSON.parse(serialized);
  } catch {
    return refuse('tree', serialized);
  }
}

function statementOf(node: Check<VisibleNames>): Check<VisibleNames> {
  return record<VisibleNames>({
    node,
    named_param_map: listShape(record({ key: boundName, value: number })),
  });
}

const statement = statementOf(query);

const root = record<VisibleNames>({ error: flag, statements: listShape(statement) });

/** A subquery; the parameters of lambdas around it are not visible in it. */
function nested(value: unknown, scope: VisibleNames, name: string): void {
  statement(value, { ...scope, lambdas: none }, name);
}

function query(value: unknown, scope: VisibleNames, name: string): void {
  const { type, cte_map: ctes, from_table: from } = asNode(value, name);
  const inner = { ...scope, ctes: withCtes(ctes, scope) };
  if (type === 'SET_OPERATION_NODE') setOperation(value, inner, name);
  else {
    const own = aliasesOf(from);
    const aliases = new Set([...scope.aliases, ...own]);
    select(value, { ...inner, aliases, outerAliases: scope.aliases }, name);
  }
}

const cteMap = record<VisibleNames>({
  map: listShape(record({ key: textShape, value: () => {} })),
});

/** A CTE of this name; a recursive one is a UNION ALL, of which only the right side may read it. */
function cteOf(own: string): Check<VisibleNames> {
  const right: Check<VisibleNames> = (value, scope, name) =>
    query(value, { ...scope, ctes: new Set([...scope.ctes, own]) }, name);
  const recursion = record<VisibleNames>({
    type: oneOf(new Set([recursiveNode])),
    modifiers: nothing,
    cte_map: record({ map: nothing }),
    cte_name: oneOf(new Set([own])),
    union_all: isTrue,
    left: query,
    right,
    aliases: nothing,
    key_targets: nothing,
  });
  const node: Check<VisibleNames> = (value, scope, name) => {
    const { type } = asNode(value, name);
    (type === recursiveNode ? recursion : query)(value, scope, name);
  };
  const body = statementOf(node);
  return record<VisibleNames>({
    aliases: nothing,
    query: (value, scope, name) => body(value, { ...scope, lambdas: none }, name),
    materialized: oneOf(materializations),
    key_targets: nothing,
  });
}

const recursiveNode = 'RECURSIVE_CTE_NODE';

/** The CTEs that a query may read: those around it and its own. Each of its own may read the ones before it. */
function withCtes(value: unknown, scope: VisibleNames): ReadonlySet<string> {
  cteMap(value, scope, 'cte_map');
  const ctes = new Set(scope.ctes);
  const { map } = asNode(value, 'cte_map');
  for (const item of asList(map, 'cte_map')) {
    const { key, value: body } = asNode(item, 'cte_map');
    const own = expectText(key, 'cte');
    cteOf(own)(body, { ...scope, ctes: new Set(ctes) }, 'cte');
    ctes.add(own);
  }
  return ctes;
}

const modifier = byType<VisibleNames>({
  ORDER_MODIFIER: { orders: listShape(order) },
  LIMIT_MODIFIER: { limit: optional(expression), offset: optional(expression) },
  DISTINCT_MODIFIER: { distinct_on_targets: nothing },
});

/** Already checked by `query`. */
const checked: Check<VisibleNames> = () => {};

const select = record<VisibleNames>({
  type: oneOf(new Set(['SELECT_NODE'])),
  modifiers: listShape(modifier),
  cte_map: checked,
  select_list: listShape(expression),
  from_table: tableReference,
  where_clause: optional(expression),
  group_expressions: listShape(expression),
  group_sets: listShape(listShape(number)),
  aggregate_handling: oneOf(new Set(['STANDARD_HANDLING'])),
  having: nothing,
  sample: nothing,
  qualify: optional(expression),
});

const setOperation = record<VisibleNames>({
  type: textShape,
  modifiers: listShape(modifier),
  cte_map: checked,
  setop_type: oneOf(setOperations),
  left: query,
  right: query,
  setop_all: flag,
});

const fromQuery: Check<VisibleNames> = (value, scope, name) =>
  nested(value, { ...scope, aliases: scope.outerAliases }, name);

const anyTable = byType<VisibleNames>(
  {
    EMPTY: {},
    BASE_TABLE: {
      schema_name: textShape,
      table_name: textShape,
      column_name_alias: nothing,
      catalog_name: nothing,
      at_clause: nothing,
    },
    SUBQUERY: { subquery: fromQuery, column_name_alias: listShape(textShape) },
    JOIN: {
      left: tableReference,
      right: tableReference,
      condition: optional(expression),
      join_type: oneOf(joins),
      ref_type: oneOf(joinForms),
      using_columns: nothing,
      delim_flipped: nothing,
      duplicate_eliminated_columns: nothing,
    },
  },
  { alias: textShape, sample: nothing, query_location: number },
);

function tableReference(value: unknown, scope: VisibleNames, name: string): void {
  anyTable(value, scope, name);
  const node = asNode(value, name);
  const { type } = node;
  if (type === 'BASE_TABLE') checkTable(node, scope);
}

/** Accepts a table that the statement claims, or a visible CTE; nothing that DuckDB would search for by name. */
function checkTable(
  { schema_name: schema, table_name: table }: SerializedNode,
  scope: VisibleNames,
): void {
  const isOurs =
    tableSchemas.has(expectText(schema, 'schema_name')) && scope.tables.has(`${schema}.${table}`);
  const isCte = schema === '' && scope.ctes.has(expectText(table, 'table_name'));
  if (!isOurs && !isCte) refuse('table', [schema, table]);
}

function aliasesOf(reference: unknown): readonly string[] {
  const { type, alias, left, right } = asNode(reference, 'from_table');
  if (type === 'JOIN') return [...aliasesOf(left), ...aliasesOf(right)];
  return typeof alias === 'string' && alias !== '' ? [alias] : [];
}
