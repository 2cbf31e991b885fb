import { joinForms, joins, materializations, setOperations, tableSchemas } from './allow-list.js';
import { boundName, expression, order } from './check-expression.js';
import * as s from './shape.js';

const none: ReadonlySet<string> = new Set();

/**
 * Walks the tree that DuckDB's `json_serialize_sql` returns for a statement, and refuses everything that is not on an
 * allow-list: kinds of nodes, properties, functions, tables and names.
 * @throws Error `Refused statement: …`
 */
export function checkStatement(serialized: string, claims: s.Claims): void {
  const names = { ctes: none, aliases: none, outerAliases: none, lambdas: none };
  const tree = s.asNode(parseTree(serialized), 'tree');
  const { error, error_message: message, statements } = tree;
  if (error !== false) s.refuse('statement', message);
  if (s.asList(statements, 'statements').length !== 1) s.refuse('statements', statements);
  root(tree, { ...claims, ...names, subquery: nested }, 'tree');
}

function parseTree(serialized: string): unknown {
  try {
    return JSON.parse(serialized);
  } catch {
    return s.refuse('tree', serialized);
  }
}

function statementOf(node: s.Check): s.Check {
  const parameters = s.listShape(s.record({ key: boundName, value: s.number }));
  return s.record({ node, named_param_map: parameters });
}

const statement = statementOf(query);

const root = s.record({ error: s.flag, statements: s.listShape(statement) });

/** A subquery; the parameters of lambdas around it are not visible in it. */
function nested(value: unknown, scope: s.VisibleNames, name: string): void {
  statement(value, { ...scope, lambdas: none }, name);
}

function query(value: unknown, scope: s.VisibleNames, name: string): void {
  const { cte_map: ctes, from_table: from } = s.asNode(value, name);
  const own = from === undefined ? [] : aliasesOf(from);
  const aliases = new Set([...scope.aliases, ...own]);
  const inner = { ...scope, ctes: withCtes(ctes, scope), aliases, outerAliases: scope.aliases };
  body(value, inner, name);
}

const cteMap = s.record({ map: s.listShape(s.record({ key: s.textShape, value: () => {} })) });

/** A CTE of this name; a recursive one is a UNION ALL, of which only the right side may read it. */
function cteOf(own: string): s.Check {
  const right: s.Check = (value, scope, name) =>
    query(value, { ...scope, ctes: new Set([...scope.ctes, own]) }, name);
  const recursion = s.record({
    type: s.only(recursiveNode),
    modifiers: s.nothing,
    cte_map: s.record({ map: s.nothing }),
    cte_name: s.only(own),
    union_all: s.only(true),
    left: query,
    right,
    aliases: s.nothing,
    key_targets: s.nothing,
  });
  const node: s.Check = (value, scope, name) => {
    const { type } = s.asNode(value, name);
    (type === recursiveNode ? recursion : query)(value, scope, name);
  };
  const inner = statementOf(node);
  return s.record({
    aliases: s.nothing,
    query: (value, scope, name) => inner(value, { ...scope, lambdas: none }, name),
    materialized: s.oneOf(materializations),
    key_targets: s.nothing,
  });
}

const recursiveNode = 'RECURSIVE_CTE_NODE';

/** The CTEs that a query may read: those around it and its own. Each of its own may read the ones before it. */
function withCtes(value: unknown, scope: s.VisibleNames): ReadonlySet<string> {
  cteMap(value, scope, 'cte_map');
  const ctes = new Set(scope.ctes);
  const { map } = s.asNode(value, 'cte_map');
  for (const item of s.asList(map, 'cte_map')) {
    const { key, value: cte } = s.asNode(item, 'cte_map');
    const own = s.expectText(key, 'cte');
    cteOf(own)(cte, { ...scope, ctes: new Set(ctes) }, 'cte');
    ctes.add(own);
  }
  return ctes;
}

const modifier = s.recordBy('type', {
  ORDER_MODIFIER: { orders: s.listShape(order) },
  LIMIT_MODIFIER: { limit: s.optional(expression), offset: s.optional(expression) },
  DISTINCT_MODIFIER: { distinct_on_targets: s.nothing },
});

const body = s.recordBy(
  'type',
  {
    SELECT_NODE: {
      select_list: s.listShape(expression),
      from_table: tableReference,
      where_clause: s.optional(expression),
      group_expressions: s.listShape(expression),
      group_sets: s.listShape(s.listShape(s.number)),
      aggregate_handling: s.only('STANDARD_HANDLING'),
      having: s.nothing,
      sample: s.nothing,
      qualify: s.optional(expression),
    },
    SET_OPERATION_NODE: {
      setop_type: s.oneOf(setOperations),
      left: query,
      right: query,
      setop_all: s.flag,
    },
  },
  // The CTEs are already checked by `query`.
  { modifiers: s.listShape(modifier), cte_map: () => {} },
);

const fromQuery: s.Check = (value, scope, name) =>
  nested(value, { ...scope, aliases: scope.outerAliases }, name);

const anyTable = s.recordBy(
  'type',
  {
    EMPTY: {},
    BASE_TABLE: {
      schema_name: s.textShape,
      table_name: s.textShape,
      column_name_alias: s.nothing,
      catalog_name: s.nothing,
      at_clause: s.nothing,
    },
    SUBQUERY: { subquery: fromQuery, column_name_alias: s.listShape(s.textShape) },
    JOIN: {
      left: tableReference,
      right: tableReference,
      condition: s.optional(expression),
      join_type: s.oneOf(joins),
      ref_type: s.oneOf(joinForms),
      using_columns: s.nothing,
      delim_flipped: s.nothing,
      duplicate_eliminated_columns: s.nothing,
    },
  },
  { alias: s.textShape, sample: s.nothing, query_location: s.number },
);

/** Accepts a table that the statement claims, or a visible CTE; nothing that DuckDB would search for by name. */
function tableReference(value: unknown, scope: s.VisibleNames, name: string): void {
  anyTable(value, scope, name);
  const { type, schema_name: schema, table_name: table } = s.asNode(value, name);
  if (type !== 'BASE_TABLE') return;
  const isOurs =
    tableSchemas.has(s.expectText(schema, 'schema_name')) && scope.tables.has(`${schema}.${table}`);
  const isCte = schema === '' && scope.ctes.has(s.expectText(table, 'table_name'));
  if (!isOurs && !isCte) s.refuse('table', [schema, table]);
}

function aliasesOf(reference: unknown): readonly string[] {
  const { type, alias, left, right } = s.asNode(reference, 'from_table');
  if (type === 'JOIN') return [...aliasesOf(left), ...aliasesOf(right)];
  return typeof alias === 'string' && alias !== '' ? [alias] : [];
}
