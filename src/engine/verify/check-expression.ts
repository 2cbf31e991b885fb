import {
  allowedFunctions,
  arrayFunction,
  arrayKey,
  comparisons,
  conjunctions,
  directions,
  frameBounds,
  lambdaFunctions,
  macroSchema,
  namedType,
  nullOrders,
  operators,
  parserFunctions,
  parserSchema,
  plainTypes,
  singleFunctions,
  subqueries,
  subqueryComparisons,
  windows,
} from './allow-list.js';
import {
  asList,
  asNode,
  asText,
  byType,
  type Check,
  flag,
  listOf,
  type Node,
  nothing,
  number,
  oneOf,
  optional,
  record,
  refuse,
  type Shape,
  text,
} from './shape.js';

/** The tables and parameters that a statement claims, and the existing macros. */
export interface Claims {
  /** Qualified names, such as `logs.<source>`. */
  readonly tables: ReadonlySet<string>;
  /** The names of bound parameters. */
  readonly parameters: ReadonlySet<string>;
  /** The names of the macros in the database `bq`. */
  readonly macros: ReadonlySet<string>;
}

/** The names that are visible at a position in the statement. */
export interface Scope extends Claims {
  readonly ctes: ReadonlySet<string>;
  /** Table aliases of this query and its enclosing queries. */
  readonly aliases: ReadonlySet<string>;
  /** Table aliases of the enclosing queries, which a subquery in FROM may refer to. */
  readonly outerAliases: ReadonlySet<string>;
  /** Parameters of the enclosing lambdas. */
  readonly lambdas: ReadonlySet<string>;
  /** Checks a subquery. */
  readonly subquery: Check<Scope>;
}

/** The name of a bound parameter; positional parameters are refused. */
export const boundName: Check<Scope> = (value, { parameters }, name) => {
  const parameterName = asText(value, name);
  if (!parameters.has(parameterName) || /^\d/.test(parameterName)) refuse(name, value);
};

/** A column as `alias.column`, or a lambda's parameter; DuckDB may read any other bare name as a function. */
const columnName: Check<Scope> = (value, { aliases, lambdas }, name) => {
  const [first, second, ...more] = asList(value, name).map((part) => asText(part, name));
  const visible = second === undefined ? lambdas : aliases;
  if (first === undefined || more.length > 0 || !visible.has(first)) refuse(name, value);
};

const scalar: Check<unknown> = (value, _, name) => {
  // A 128-bit number is serialized as two numbers.
  if (['string', 'number', 'boolean'].includes(typeof value)) return;
  record({ upper: number, lower: number })(value, undefined, name);
};

const typeParts = byType<Scope>(
  {
    LIST_TYPE_INFO: { child_type: type },
    STRUCT_TYPE_INFO: { child_types: listOf(record({ first: text, second: type })) },
    DECIMAL_TYPE_INFO: { width: number, scale: number },
    UNBOUND_TYPE_INFO: {
      name: oneOf(new Set([namedType])),
      catalog: nothing,
      schema: nothing,
      user_type_modifiers: nothing,
    },
  },
  { alias: nothing, extension_info: nothing },
);

const typeWithParts = record<Scope>({
  id: oneOf(new Set(['LIST', 'STRUCT', 'DECIMAL', 'UNBOUND'])),
  type_info: typeParts,
});

const plainType = record<Scope>({ id: oneOf(plainTypes), type_info: nothing });

function type(value: unknown, scope: Scope, name: string): void {
  const { type_info: parts } = asNode(value, name);
  (parts === null ? plainType : typeWithParts)(value, scope, name);
}

const valueConstant = record<Scope>({ type, is_null: flag, value: scalar });
const nullConstant = record<Scope>({ type, is_null: flag });

function constant(value: unknown, scope: Scope, name: string): void {
  const { is_null: isNull } = asNode(value, name);
  (isNull === true ? nullConstant : valueConstant)(value, scope, name);
}

/** A key of ORDER BY. */
export const order = orderOf(expression);

function orderOf(key: Check<Scope>): Check<Scope> {
  return record({ type: oneOf(directions), null_order: oneOf(nullOrders), expression: key });
}

/** The properties of every expression. */
const common: Shape<Scope> = { class: text, type: text, alias: text, query_location: number };

/** A column of the subquery, as the parser writes it for `ARRAY(SELECT …)`: by index or a generated name. */
function arrayColumn(value: unknown, scope: Scope, name: string): void {
  const { class: kind, column_names: names } = asNode(value, name);
  if (kind === 'POSITIONAL_REFERENCE') positional(value, scope, name);
  else {
    parameter(value, scope, name);
    const [key, ...more] = asList(names, name).map((part) => asText(part, name));
    if (key === undefined || more.length > 0 || !arrayKey.test(key)) refuse(name, names);
  }
}

const positional = record<Scope>({ ...common, index: number });

const parameter = record<Scope>({ ...common, column_names: listOf(text) });

/** `lambda x, y: …`; its parameters are visible in its body, and in lambdas inside it. */
function lambda(value: unknown, scope: Scope, name: string): void {
  const { lhs } = asNode(value, name);
  const lambdas = new Set([...scope.lambdas, ...parametersOf(lhs, scope)]);
  const body: Check<Scope> = (inner) => expression(inner, { ...scope, lambdas }, 'expr');
  record({ ...common, lhs: () => {}, expr: body })(value, scope, name);
}

function parametersOf(value: unknown, scope: Scope): readonly string[] {
  const { class: kind, function_name: name, children, column_names: names } = asNode(value, 'lhs');
  if (kind === 'FUNCTION') {
    if (name !== 'row') refuse('lhs', name);
    parameterRow(value, scope, 'lhs');
    return asList(children, 'lhs').flatMap((child) => parametersOf(child, scope));
  }
  parameter(value, scope, 'lhs');
  const parts = asList(names, 'lhs').map((part) => asText(part, 'lhs'));
  return kind === 'COLUMN_REF' && parts.length === 1 ? parts : refuse('lhs', value);
}

function argument(value: unknown, scope: Scope, name: string): void {
  const { class: kind } = asNode(value, name);
  (kind === 'LAMBDA' ? lambda : expression)(value, scope, name);
}

function call(children: Check<Scope>, key: Check<Scope> = order): Check<Scope> {
  return record({
    ...common,
    function_name: text,
    schema: text,
    catalog: nothing,
    children,
    filter: optional(expression),
    order_bys: record({ type: text, orders: listOf(key) }),
    distinct: flag,
    is_operator: flag,
    export_state: nothing,
  });
}

const parameterRow = call(listOf(parameter));

/** Exactly one argument. */
const single: Check<Scope> = (value, scope, name) => {
  if (asList(value, name).length !== 1) refuse(name, value);
  listOf(expression)(value, scope, name);
};

const calls = {
  single: call(single),
  plain: call(listOf(expression)),
  lambda: call(listOf(argument)),
  array: call(listOf(arrayColumn), orderOf(arrayColumn)),
} as const;

type FindCall = (name: string, scope: Scope) => Check<Scope> | undefined;

/** The check of a call by schema and function name; undefined if the function is not allowed. */
const callsBySchema: ReadonlyMap<string, FindCall> = new Map<string, FindCall>([
  ['', builtIn],
  [parserSchema, (name) => (parserFunctions.has(name) ? calls.plain : undefined)],
  [macroSchema, (name, { macros }) => (macros.has(name) ? calls.plain : undefined)],
]);

function builtIn(name: string): Check<Scope> | undefined {
  if (name === arrayFunction) return calls.array;
  if (!allowedFunctions.has(name.replace(/^js_safe_/, 'js_'))) return undefined;
  if (singleFunctions.has(name)) return calls.single;
  return lambdaFunctions.has(name) ? calls.lambda : calls.plain;
}

function functionCall(node: Node, scope: Scope): void {
  const { function_name: functionName, schema: schemaName } = node;
  const name = asText(functionName, 'function_name');
  const schema = asText(schemaName, 'schema');
  const check = callsBySchema.get(schema)?.(name, scope) ?? refuse('function', [schema, name]);
  check(node, scope, 'function');
}

interface ExpressionClass {
  readonly types: ReadonlySet<string>;
  readonly check: Check<Scope>;
}

function expressionClass(
  types: ReadonlySet<string> | string,
  shape: Shape<Scope>,
): ExpressionClass {
  const check = record({ ...common, ...shape });
  return { types: typeof types === 'string' ? new Set([types]) : types, check };
}

/** The allowed classes of expressions; lambdas and positional columns are allowed only where a call checks them. */
const classes: ReadonlyMap<string, ExpressionClass> = new Map([
  [
    'CASE',
    expressionClass('CASE_EXPR', {
      case_checks: listOf(record({ when_expr: expression, then_expr: expression })),
      else_expr: expression,
    }),
  ],
  [
    'CAST',
    expressionClass('OPERATOR_CAST', { child: expression, cast_type: type, try_cast: flag }),
  ],
  ['COLUMN_REF', expressionClass('COLUMN_REF', { column_names: columnName })],
  ['COMPARISON', expressionClass(comparisons, { left: expression, right: expression })],
  ['CONJUNCTION', expressionClass(conjunctions, { children: listOf(expression) })],
  ['CONSTANT', expressionClass('VALUE_CONSTANT', { value: constant })],
  ['OPERATOR', expressionClass(operators, { children: listOf(expression) })],
  ['PARAMETER', expressionClass('VALUE_PARAMETER', { identifier: boundName })],
  [
    'SUBQUERY',
    expressionClass('SUBQUERY', {
      subquery_type: oneOf(subqueries),
      subquery: (value, scope, name) => scope.subquery(value, scope, name),
      child: optional(expression),
      comparison_type: oneOf(subqueryComparisons),
    }),
  ],
  [
    'WINDOW',
    expressionClass(windows, {
      function_name: oneOf(allowedFunctions),
      schema: nothing,
      catalog: nothing,
      children: listOf(expression),
      partitions: listOf(expression),
      orders: listOf(order),
      start: oneOf(frameBounds),
      end: oneOf(frameBounds),
      start_expr: optional(expression),
      end_expr: optional(expression),
      offset_expr: optional(expression),
      default_expr: optional(expression),
      ignore_nulls: flag,
      filter_expr: optional(expression),
      exclude_clause: oneOf(new Set(['NO_OTHER'])),
      distinct: flag,
      arg_orders: listOf(order),
    }),
  ],
]);

/** Checks an expression and everything in it. */
export function expression(value: unknown, scope: Scope, name: string): void {
  const node = asNode(value, name);
  const { class: kind, type } = node;
  if (kind === 'FUNCTION' && type === 'FUNCTION') functionCall(node, scope);
  else {
    const allowed = classes.get(asText(kind, 'class'));
    if (allowed?.types.has(asText(type, 'type')) !== true) refuse('expression', [kind, type]);
    allowed.check(value, scope, name);
  }
}
