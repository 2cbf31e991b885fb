import {
  allowedComparisons,
  allowedFunctions,
  allowedOperators,
  allowedWindows,
  arrayFunction,
  arrayKey,
  conjunctions,
  directions,
  frameBounds,
  lambdaFunctions,
  macroSchema,
  namedType,
  nullOrders,
  parserFunctions,
  parserSchema,
  plainTypes,
  singleFunctions,
  subqueries,
  subqueryComparisons,
} from './allow-list.js';
import {
  asList,
  asNode,
  byType,
  type Check,
  expectText,
  flag,
  listShape,
  type NodeShape,
  nothing,
  number,
  oneOf,
  optional,
  record,
  refuse,
  type SerializedNode,
  textShape,
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
export interface VisibleNames extends Claims {
  readonly ctes: ReadonlySet<string>;
  /** Table aliases of this query and its enclosing queries. */
  readonly aliases: ReadonlySet<string>;
  /** Table aliases of the enclosing queries, which a subquery in FROM may refer to. */
  readonly outerAliases: ReadonlySet<string>;
  /** Parameters of the enclosing lambdas. */
  readonly lambdas: ReadonlySet<string>;
  /** Checks a subquery. */
  readonly subquery: Check<VisibleNames>;
}

/** The name of a bound parameter; positional parameters are refused. */
export const boundName: Check<VisibleNames> = (value, { parameters }, name) => {
  const parameterName = expectText(value, name);
  if (!parameters.has(parameterName) || /^\d/.test(parameterName)) refuse(name, value);
};

/** A column as `alias.column`, or a lambda's parameter; DuckDB may read any other bare name as a function. */
const columnName: Check<VisibleNames> = (value, { aliases, lambdas }, name) => {
  const [first, second, ...more] = asList(value, name).map((part) => expectText(part, name));
  const visible = second === undefined ? lambdas : aliases;
  if (first === undefined || more.length > 0 || !visible.has(first)) refuse(name, value);
};

const scalar: Check<unknown> = (value, _, name) => {
  // A 128-bit number is serialized as two numbers.
  if (['string', 'number', 'boolean'].includes(typeof value)) return;
  record({ upper: number, lower: number })(value, undefined, name);
};

const typeParts = byType<VisibleNames>(
  {
    LIST_TYPE_INFO: { child_type: type },
    STRUCT_TYPE_INFO: { child_types: listShape(record({ first: textShape, second: type })) },
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

const typeWithParts = record<VisibleNames>({
  id: oneOf(new Set(['LIST', 'STRUCT', 'DECIMAL', 'UNBOUND'])),
  type_info: typeParts,
});

const plainType = record<VisibleNames>({ id: oneOf(plainTypes), type_info: nothing });

function type(value: unknown, scope: VisibleNames, name: string): void {
  const { type_info: parts } = asNode(value, name);
  (parts === null ? plainType : typeWithParts)(value, scope, name);
}

const valueConstant = record<VisibleNames>({ type, is_null: flag, value: scalar });
const nullConstant = record<VisibleNames>({ type, is_null: flag });

function constant(value: unknown, scope: VisibleNames, name: string): void {
  const { is_null: isNull } = asNode(value, name);
  (isNull === true ? nullConstant : valueConstant)(value, scope, name);
}

/** A key of ORDER BY. */
export const order = orderOf(expression);

function orderOf(key: Check<VisibleNames>): Check<VisibleNames> {
  return record({ type: oneOf(directions), null_order: oneOf(nullOrders), expression: key });
}

/** The properties of every expression. */
const common: NodeShape<VisibleNames> = {
  class: textShape,
  type: textShape,
  alias: textShape,
  query_location: number,
};

/** A column of the subquery, as the parser writes it for `ARRAY(SELECT …)`: by its index or a generated name. */
function arrayColumn(value: unknown, scope: VisibleNames, name: string): void {
  const { class: kind, column_names: names } = asNode(value, name);
  if (kind === 'POSITIONAL_REFERENCE') positional(value, scope, name);
  else {
    parameter(value, scope, name);
    const [key, ...more] = asList(names, name).map((part) => expectText(part, name));
    if (key === undefined || more.length > 0 || !arrayKey.test(key)) refuse(name, names);
  }
}

const positional = record<VisibleNames>({ ...common, index: number });

const parameter = record<VisibleNames>({ ...common, column_names: listShape(textShape) });

/** `lambda x, y: …`; its parameters are visible in its body, and in lambdas inside it. */
function lambda(value: unknown, scope: VisibleNames, name: string): void {
  const { lhs } = asNode(value, name);
  const lambdas = new Set([...scope.lambdas, ...parametersOf(lhs, scope)]);
  const body: Check<VisibleNames> = (inner) => expression(inner, { ...scope, lambdas }, 'expr');
  record({ ...common, lhs: () => {}, expr: body })(value, scope, name);
}

function parametersOf(value: unknown, scope: VisibleNames): readonly string[] {
  const { class: kind, function_name: name, children, column_names: names } = asNode(value, 'lhs');
  if (kind === 'FUNCTION') {
    if (name !== 'row') refuse('lhs', name);
    parameterRow(value, scope, 'lhs');
    return asList(children, 'lhs').flatMap((child) => parametersOf(child, scope));
  }
  parameter(value, scope, 'lhs');
  const parts = asList(names, 'lhs').map((part) => expectText(part, 'lhs'));
  return kind === 'COLUMN_REF' && parts.length === 1 ? parts : refuse('lhs', value);
}

function argument(value: unknown, scope: VisibleNames, name: string): void {
  const { class: kind } = asNode(value, name);
  (kind === 'LAMBDA' ? lambda : expression)(value, scope, name);
}

function call(
  children: Check<VisibleNames>,
  key: Check<VisibleNames> = order,
): Check<VisibleNames> {
  return record({
    ...common,
    function_name: textShape,
    schema: textShape,
    catalog: nothing,
    children,
    filter: optional(expression),
    order_bys: record({ type: textShape, orders: listShape(key) }),
    distinct: flag,
    is_operator: flag,
    export_state: nothing,
  });
}

const parameterRow = call(listShape(parameter));

/** Exactly one argument. */
const single: Check<VisibleNames> = (value, scope, name) => {
  if (asList(value, name).length !== 1) refuse(name, value);
  listShape(expression)(value, scope, name);
};

const calls = {
  single: call(single),
  plain: call(listShape(expression)),
  lambda: call(listShape(argument)),
  array: call(listShape(arrayColumn), orderOf(arrayColumn)),
} as const;

type FindCall = (name: string, scope: VisibleNames) => Check<VisibleNames> | undefined;

/** The check of a call by schema and function name; undefined if the function is not allowed. */
const callsBySchema: ReadonlyMap<string, FindCall> = new Map<string, FindCall>([
  ['', builtIn],
  [parserSchema, (name) => (parserFunctions.has(name) ? calls.plain : undefined)],
  [macroSchema, (name, { macros }) => (macros.has(name) ? calls.plain : undefined)],
]);

function builtIn(name: string): Check<VisibleNames> | undefined {
  if (name === arrayFunction) return calls.array;
  if (!allowedFunctions.has(name.replace(/^js_safe_/, 'js_'))) return undefined;
  if (singleFunctions.has(name)) return calls.single;
  return lambdaFunctions.has(name) ? calls.lambda : calls.plain;
}

function functionCall(node: SerializedNode, scope: VisibleNames): void {
  const { function_name: functionName, schema: schemaName } = node;
  const name = expectText(functionName, 'function_name');
  const schema = expectText(schemaName, 'schema');
  const check = callsBySchema.get(schema)?.(name, scope) ?? refuse('function', [schema, name]);
  check(node, scope, 'function');
}

interface ExpressionClass {
  readonly types: ReadonlySet<string>;
  readonly check: Check<VisibleNames>;
}

function expressionClass(
  types: ReadonlySet<string> | string,
  shape: NodeShape<VisibleNames>,
): ExpressionClass {
  const check = record({ ...common, ...shape });
  return { types: typeof types === 'string' ? new Set([types]) : types, check };
}

/** The allowed classes of expressions; lambdas and positional columns are allowed only where a call checks them. */
const classes: ReadonlyMap<string, ExpressionClass> = new Map([
  [
    'CASE',
    expressionClass('CASE_EXPR', {
      case_checks: listShape(record({ when_expr: expression, then_expr: expression })),
      else_expr: expression,
    }),
  ],
  [
    'CAST',
    expressionClass('OPERATOR_CAST', { child: expression, cast_type: type, try_cast: flag }),
  ],
  ['COLUMN_REF', expressionClass('COLUMN_REF', { column_names: columnName })],
  ['COMPARISON', expressionClass(allowedComparisons, { left: expression, right: expression })],
  ['CONJUNCTION', expressionClass(conjunctions, { children: listShape(expression) })],
  ['CONSTANT', expressionClass('VALUE_CONSTANT', { value: constant })],
  ['OPERATOR', expressionClass(allowedOperators, { children: listShape(expression) })],
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
    expressionClass(allowedWindows, {
      function_name: oneOf(allowedFunctions),
      schema: nothing,
      catalog: nothing,
      children: listShape(expression),
      partitions: listShape(expression),
      orders: listShape(order),
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
      arg_orders: listShape(order),
    }),
  ],
]);

/** Checks an expression and everything in it. */
export function expression(value: unknown, scope: VisibleNames, name: string): void {
  const node = asNode(value, name);
  const { class: kind, type } = node;
  if (kind === 'FUNCTION' && type === 'FUNCTION') functionCall(node, scope);
  else {
    const allowed = classes.get(expectText(kind, 'class'));
    if (allowed?.types.has(expectText(type, 'type')) !== true) refuse('expression', [kind, type]);
    allowed.check(value, scope, name);
  }
}
