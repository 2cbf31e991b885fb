import { joinForms, joins, materializations, setOperations, tableSchemas } from './allow-list.js';
import { boundName, expression, order } from './check-expression.js';
import * as shape from './shape.js';

const none: ReadonlySet<string> = new Set();

/**
 * Walks the tree that DuckDB's `json_serialize_sql` returns for a statement, and refuses everything that is not on an
 * allow-list: kinds of nodes, properties, functions, tables and names.
 * @throws Error `Refused statement: …`
 */
export function checkStatement(serialized: string, claims: shape.Claims): void {
  const names = { ctes: none, aliases: none, outerAliases: none, lambdas: none };
  const tree = shape.asNode(parseTree(serialized), 'tree');
  const { error, error_message: message, statements } = tree;
  if (error !== false) shape.refuse('statement', message);
  if (shape.asList(statements, 'statements').length !== 1) shape.refuse('statements', statements);
  root(tree, { ...claims, ...names, subquery: nested }, 'tree');
}

function parseTree(serialized: string): unknown {
  try {
    return JSON.parse(serialized);
  } catch {
    return shape.refuse('tree', serialized);
  }
}

function statementShape(node: shape.Check): shape.Check {
  const parameters = shape.listShape(shape.record({ key: boundName, value: shape.number }));
  return shape.record({ node, named_param_map: parameters });
}

const statement = statementShape(query);

const root = shape.record({ error: shape.flag, statements: shape.listShape(statement) });

/** A subquery; the parameters of lambdas around it are not visible in it. */
function nested(value: unknown, scope: shape.VisibleNames, name: string): void {
  statement(value, { ...scope, lambdas: none }, name);
}

function query(value: unknown, scope: shape.VisibleNames, name: string): void {
  const { cte_map: ctes, from_table: from } = shape.asNode(value, name);
  const own = from === undefined ? [] : tableAliases(from);
  const aliases = new Set([...scope.aliases, ...own]);
  const inner = { ...scope, ctes: withCtes(ctes, scope), aliases, outerAliases: scope.aliases };
  body(value, inner, name);
}

const cteMap = shape.record({
  map: shape.listShape(shape.record({ key: shape.textShape, value: () => {} })),
});

/** A CTE of this name; a recursive one is a UNION ALL, of which only the right side may read it. */
function cteShape(own: string): shape.Check {
  const right: shape.Check = (value, scope, name) =>
    query(value, { ...scope, ctes: new Set([...scope.ctes, own]) }, name);
  const recursion = shape.record({
    type: shape.only(recursiveNode),
    modifiers: shape.nothing,
    cte_map: shape.record({ map: shape.nothing }),
    cte_name: shape.only(own),
    union_all: shape.only(true),
    left: query,
    right,
    aliases: shape.nothing,
    key_targets: shape.nothing,
  });
  const node: shape.Check = (value, scope, name) => {
    const { type } = shape.asNode(value, name);
    (type === recursiveNode ? recursion : query)(value, scope, name);
  };
  const inner = statementShape(node);
  return shape.record({
    aliases: shape.nothing,
    query: (value, scope, name) => inner(value, { ...scope, lambdas: none }, name),
    materialized: shape.oneOf(materializations),
    key_targets: shape.nothing,
  });
}

const recursiveNode = 'RECURSIVE_CTE_NODE';

/** The CTEs that a query may read: those around it and its own. Each of its own may read the ones before it. */
function withCtes(value: unknown, scope: shape.VisibleNames): ReadonlySet<string> {
  cteMap(value, scope, 'cte_map');
  const ctes = new Set(scope.ctes);
  const { map } = shape.asNode(value, 'cte_map');
  for (const item of shape.asList(map, 'cte_map')) {
    const { key, value: cte } = shape.asNode(item, 'cte_map');
    const own = shape.expectText(key, 'cte');
    cteShape(own)(cte, { ...scope, ctes: new Set(ctes) }, 'cte');
    ctes.add(own);
  }
  return ctes;
}

const modifier = shape.recordBy('type', {
  ORDER_MODIFIER: { orders: shape.listShape(order) },
  LIMIT_MODIFIER: { limit: shape.optional(expression), offset: shape.optional(expression) },
  DISTINCT_MODIFIER: { distinct_on_targets: shape.nothing },
});

const body = shape.recordBy(
  'type',
  {
    SELECT_NODE: {
      select_list: shape.listShape(expression),
      from_table: tableReference,
      where_clause: shape.optional(expression),
      group_expressions: shape.listShape(expression),
      group_sets: shape.listShape(shape.listShape(shape.number)),
      aggregate_handling: shape.only('STANDARD_HANDLING'),
      having: shape.nothing,
      sample: shape.nothing,
      qualify: shape.optional(expression),
    },
    SET_OPERATION_NODE: {
      setop_type: shape.oneOf(setOperations),
      left: query,
      right: query,
      setop_all: shape.flag,
    },
  },
  // The CTEs are already checked by `query`.
  { modifiers: shape.listShape(modifier), cte_map: () => {} },
);

const fromQuery: shape.Check = (value, scope, name) =>
  nested(value, { ...scope, aliases: scope.outerAliases }, name);

const anyTable = shape.recordBy(
  'type',
  {
    EMPTY: {},
    BASE_TABLE: {
      schema_name: shape.textShape,
      table_name: shape.textShape,
      column_name_alias: shape.nothing,
      catalog_name: shape.nothing,
      at_clause: shape.nothing,
    },
    SUBQUERY: { subquery: fromQuery, column_name_alias: shape.listShape(shape.textShape) },
    JOIN: {
      left: tableReference,
      right: tableReference,
      condition: shape.optional(expression),
      join_type: shape.oneOf(joins),
      ref_type: shape.oneOf(joinForms),
      using_columns: shape.nothing,
      delim_flipped: shape.nothing,
      duplicate_eliminated_columns: shape.nothing,
    },
  },
  { alias: shape.textShape, sample: shape.nothing, query_location: shape.number },
);

/** Accepts a table that the statement claims, or a visible CTE; nothing that DuckDB would search for by name. */
function tableReference(value: unknown, scope: shape.VisibleNames, name: string): void {
  anyTable(value, scope, name);
  const { type, schema_name: schema, table_name: table } = shape.asNode(value, name);
  if (type !== 'BASE_TABLE') return;
  const isOurs =
    tableSchemas.has(shape.expectText(schema, 'schema_name')) &&
    scope.tables.has(`${schema}.${table}`);
  const isCte = schema === '' && scope.ctes.has(shape.expectText(table, 'table_name'));
  if (!isOurs && !isCte) shape.refuse('table', [schema, table]);
}

function tableAliases(reference: unknown): readonly string[] {
  const { type, alias, left, right } = shape.asNode(reference, 'from_table');
  if (type === 'JOIN') return [...tableAliases(left), ...tableAliases(right)];
  return typeof alias === 'string' && alias !== '' ? [alias] : [];
}
