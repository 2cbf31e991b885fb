import { joinForms, joins, materializations, setOperations, tableSchemas } from './allow-list.js';
import { boundName, type Claims, expression, order, type Scope } from './check-expression.js';
import {
  asList,
  asNode,
  asText,
  byType,
  type Check,
  flag,
  isTrue,
  listOf,
  type Node,
  nothing,
  number,
  oneOf,
  optional,
  record,
  refuse,
  text,
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

function statementOf(node: Check<Scope>): Check<Scope> {
  return record<Scope>({
    node,
    named_param_map: listOf(record({ key: boundName, value: number })),
  });
}

const statement = statementOf(query);

const root = record<Scope>({ error: flag, statements: listOf(statement) });

/** Checks a subquery; parameters of enclosing lambdas are not visible in it. */
function nested(value: unknown, scope: Scope, name: string): void {
  statement(value, { ...scope, lambdas: none }, name);
}

function query(value: unknown, scope: Scope, name: string): void {
  const { type, cte_map: ctes, from_table: from } = asNode(value, name);
  const inner = { ...scope, ctes: withCtes(ctes, scope) };
  if (type === 'SET_OPERATION_NODE') setOperation(value, inner, name);
  else {
    const own = aliasesOf(from);
    const aliases = new Set([...scope.aliases, ...own]);
    select(value, { ...inner, aliases, outerAliases: scope.aliases }, name);
  }
}

const cteMap = record<Scope>({ map: listOf(record({ key: text, value: () => {} })) });

/** Checks a CTE of this name; a recursive CTE is a UNION ALL, and only its right side may read the CTE. */
function cteOf(own: string): Check<Scope> {
  const right: Check<Scope> = (value, scope, name) =>
    query(value, { ...scope, ctes: new Set([...scope.ctes, own]) }, name);
  const recursion = record<Scope>({
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
  const node: Check<Scope> = (value, scope, name) => {
    const { type } = asNode(value, name);
    (type === recursiveNode ? recursion : query)(value, scope, name);
  };
  const body = statementOf(node);
  return record<Scope>({
    aliases: nothing,
    query: (value, scope, name) => body(value, { ...scope, lambdas: none }, name),
    materialized: oneOf(materializations),
    key_targets: nothing,
  });
}

const recursiveNode = 'RECURSIVE_CTE_NODE';

/**
 * Returns the CTEs that a query may read: those of enclosing queries and its own. Each of its own may read the ones
 * before it.
 */
function withCtes(value: unknown, scope: Scope): ReadonlySet<string> {
  cteMap(value, scope, 'cte_map');
  const ctes = new Set(scope.ctes);
  const { map } = asNode(value, 'cte_map');
  for (const item of asList(map, 'cte_map')) {
    const { key, value: body } = asNode(item, 'cte_map');
    const own = asText(key, 'cte');
    cteOf(own)(body, { ...scope, ctes: new Set(ctes) }, 'cte');
    ctes.add(own);
  }
  return ctes;
}

const modifier = byType<Scope>({
  ORDER_MODIFIER: { orders: listOf(order) },
  LIMIT_MODIFIER: { limit: optional(expression), offset: optional(expression) },
  DISTINCT_MODIFIER: { distinct_on_targets: nothing },
});

/** Already checked by `query`. */
const checked: Check<Scope> = () => {};

const select = record<Scope>({
  type: oneOf(new Set(['SELECT_NODE'])),
  modifiers: listOf(modifier),
  cte_map: checked,
  select_list: listOf(expression),
  from_table: tableReference,
  where_clause: optional(expression),
  group_expressions: listOf(expression),
  group_sets: listOf(listOf(number)),
  aggregate_handling: oneOf(new Set(['STANDARD_HANDLING'])),
  having: nothing,
  sample: nothing,
  qualify: optional(expression),
});

const setOperation = record<Scope>({
  type: text,
  modifiers: listOf(modifier),
  cte_map: checked,
  setop_type: oneOf(setOperations),
  left: query,
  right: query,
  setop_all: flag,
});

const fromQuery: Check<Scope> = (value, scope, name) =>
  nested(value, { ...scope, aliases: scope.outerAliases }, name);

const anyTable = byType<Scope>(
  {
    EMPTY: {},
    BASE_TABLE: {
      schema_name: text,
      table_name: text,
      column_name_alias: nothing,
      catalog_name: nothing,
      at_clause: nothing,
    },
    SUBQUERY: { subquery: fromQuery, column_name_alias: listOf(text) },
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
  { alias: text, sample: nothing, query_location: number },
);

function tableReference(value: unknown, scope: Scope, name: string): void {
  anyTable(value, scope, name);
  const node = asNode(value, name);
  const { type } = node;
  if (type === 'BASE_TABLE') checkTable(node, scope);
}

/** Accepts a table that the statement claims, or a visible CTE; nothing that DuckDB would look up by name. */
function checkTable({ schema_name: schema, table_name: table }: Node, scope: Scope): void {
  const isOurs =
    tableSchemas.has(asText(schema, 'schema_name')) && scope.tables.has(`${schema}.${table}`);
  const isCte = schema === '' && scope.ctes.has(asText(table, 'table_name'));
  if (!isOurs && !isCte) refuse('table', [schema, table]);
}

function aliasesOf(reference: unknown): readonly string[] {
  const { type, alias, left, right } = asNode(reference, 'from_table');
  if (type === 'JOIN') return [...aliasesOf(left), ...aliasesOf(right)];
  return typeof alias === 'string' && alias !== '' ? [alias] : [];
}
