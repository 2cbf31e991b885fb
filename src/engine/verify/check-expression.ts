import * as lists from './allow-list.js';
import * as s from './shape.js';

/** The name of a bound parameter; positional parameters are refused. */
export const boundName: s.Check = (value, { parameters }, name) => {
  const parameterName = s.expectText(value, name);
  if (!parameters.has(parameterName) || /^\d/.test(parameterName)) s.refuse(name, value);
};

/** A list of names. */
function namesIn(value: unknown, name: string): readonly string[] {
  return s.asList(value, name).map((part) => s.expectText(part, name));
}

/** A column as `alias.column`, or a lambda's parameter; DuckDB may read any other bare name as a function. */
const columnName: s.Check = (value, { aliases, lambdas }, name) => {
  const [first, second, ...more] = namesIn(value, name);
  const visible = second === undefined ? lambdas : aliases;
  if (first === undefined || more.length > 0 || !visible.has(first)) s.refuse(name, value);
};

const scalar: s.Check = (value, scope, name) => {
  // A 128-bit number is serialized as two numbers.
  if (['string', 'number', 'boolean'].includes(typeof value)) return;
  s.record({ upper: s.number, lower: s.number })(value, scope, name);
};

const typeParts = s.recordBy(
  'type',
  {
    LIST_TYPE_INFO: { child_type: type },
    STRUCT_TYPE_INFO: { child_types: s.listShape(s.record({ first: s.textShape, second: type })) },
    DECIMAL_TYPE_INFO: { width: s.number, scale: s.number },
    UNBOUND_TYPE_INFO: {
      // The parser knows a type only by name if an extension provides it.
      name: s.only('JSON'),
      catalog: s.nothing,
      schema: s.nothing,
      user_type_modifiers: s.nothing,
    },
  },
  { alias: s.nothing, extension_info: s.nothing },
);

const typeWithParts = s.record({
  id: s.oneOf(new Set(['LIST', 'STRUCT', 'DECIMAL', 'UNBOUND'])),
  type_info: typeParts,
});

const plainType = s.record({ id: s.oneOf(lists.plainTypes), type_info: s.nothing });

function type(value: unknown, scope: s.VisibleNames, name: string): void {
  const { type_info: parts } = s.asNode(value, name);
  (parts === null ? plainType : typeWithParts)(value, scope, name);
}

const valueConstant = s.record({ type, is_null: s.flag, value: scalar });
const nullConstant = s.record({ type, is_null: s.flag });

function constant(value: unknown, scope: s.VisibleNames, name: string): void {
  const { is_null: isNull } = s.asNode(value, name);
  (isNull === true ? nullConstant : valueConstant)(value, scope, name);
}

/** A key of ORDER BY. */
export const order = orderOf(expression);

function orderOf(key: s.Check): s.Check {
  const { directions, nullOrders } = lists;
  return s.record({ type: s.oneOf(directions), null_order: s.oneOf(nullOrders), expression: key });
}

/** The properties of every expression. */
const common: s.NodeShape = {
  class: s.textShape,
  type: s.textShape,
  alias: s.textShape,
  query_location: s.number,
};

/** A column of the subquery, as the parser writes it for `ARRAY(SELECT …)`: by its index or a generated name. */
function arrayColumn(value: unknown, scope: s.VisibleNames, name: string): void {
  const { class: kind, column_names: names } = s.asNode(value, name);
  if (kind === 'POSITIONAL_REFERENCE') positional(value, scope, name);
  else {
    parameter(value, scope, name);
    const [key, ...more] = namesIn(names, name);
    if (key === undefined || more.length > 0 || !lists.arrayKey.test(key)) s.refuse(name, names);
  }
}

const positional = s.record({ ...common, index: s.number });

const parameter = s.record({ ...common, column_names: s.listShape(s.textShape) });

/** `lambda x, y: …`; its parameters are visible in its body, and in lambdas inside it. */
function lambda(value: unknown, scope: s.VisibleNames, name: string): void {
  const { lhs } = s.asNode(value, name);
  const lambdas = new Set([...scope.lambdas, ...parametersOf(lhs, scope)]);
  const body: s.Check = (inner) => expression(inner, { ...scope, lambdas }, 'expr');
  s.record({ ...common, lhs: () => {}, expr: body })(value, scope, name);
}

function parametersOf(value: unknown, scope: s.VisibleNames): readonly string[] {
  const {
    class: kind,
    function_name: name,
    children,
    column_names: names,
  } = s.asNode(value, 'lhs');
  if (kind === 'FUNCTION') {
    if (name !== 'row') s.refuse('lhs', name);
    parameterRow(value, scope, 'lhs');
    return s.asList(children, 'lhs').flatMap((child) => parametersOf(child, scope));
  }
  parameter(value, scope, 'lhs');
  const parts = namesIn(names, 'lhs');
  return kind === 'COLUMN_REF' && parts.length === 1 ? parts : s.refuse('lhs', value);
}

function argument(value: unknown, scope: s.VisibleNames, name: string): void {
  const { class: kind } = s.asNode(value, name);
  (kind === 'LAMBDA' ? lambda : expression)(value, scope, name);
}

function call(children: s.Check, key: s.Check = order): s.Check {
  return s.record({
    ...common,
    type: s.only('FUNCTION'),
    function_name: s.textShape,
    schema: s.textShape,
    catalog: s.nothing,
    children,
    filter: s.optional(expression),
    order_bys: s.record({ type: s.textShape, orders: s.listShape(key) }),
    distinct: s.flag,
    is_operator: s.flag,
    export_state: s.nothing,
  });
}

const parameterRow = call(s.listShape(parameter));

const expressions = s.listShape(expression);

/** Exactly one argument. */
const single: s.Check = (value, scope, name) => {
  if (s.asList(value, name).length !== 1) s.refuse(name, value);
  expressions(value, scope, name);
};

const calls = {
  single: call(single),
  plain: call(expressions),
  lambda: call(s.listShape(argument)),
  array: call(s.listShape(arrayColumn), orderOf(arrayColumn)),
} as const;

type FindCall = (name: string, scope: s.VisibleNames) => s.Check | undefined;

/** The check of a call by schema and function name; undefined if the function is not allowed. */
const callsBySchema: ReadonlyMap<string, FindCall> = new Map<string, FindCall>([
  ['', builtIn],
  ['main', (name) => (lists.parserFunctions.has(name) ? calls.plain : undefined)],
  ['bq', (name, { macros }) => (macros.has(name) ? calls.plain : undefined)],
]);

function builtIn(name: string): s.Check | undefined {
  if (name === lists.arrayFunction) return calls.array;
  if (!lists.allowedFunctions.has(name.replace(/^js_safe_/, 'js_'))) return undefined;
  if (lists.singleFunctions.has(name)) return calls.single;
  return lists.lambdaFunctions.has(name) ? calls.lambda : calls.plain;
}

function functionCall(value: unknown, scope: s.VisibleNames): void {
  const { function_name: functionName, schema: schemaName } = s.asNode(value, 'function');
  const name = s.expectText(functionName, 'function_name');
  const schema = s.expectText(schemaName, 'schema');
  const check = callsBySchema.get(schema)?.(name, scope) ?? s.refuse('function', [schema, name]);
  check(value, scope, 'function');
}

/** The other classes of expressions; lambdas and positional columns are allowed only where a call checks them. */
const otherExpression = s.recordBy(
  'class',
  {
    CASE: {
      type: s.only('CASE_EXPR'),
      case_checks: s.listShape(s.record({ when_expr: expression, then_expr: expression })),
      else_expr: expression,
    },
    CAST: { type: s.only('OPERATOR_CAST'), child: expression, cast_type: type, try_cast: s.flag },
    COLUMN_REF: { type: s.only('COLUMN_REF'), column_names: columnName },
    COMPARISON: { type: s.oneOf(lists.allowedComparisons), left: expression, right: expression },
    CONJUNCTION: { type: s.oneOf(lists.conjunctions), children: expressions },
    CONSTANT: { type: s.only('VALUE_CONSTANT'), value: constant },
    OPERATOR: { type: s.oneOf(lists.allowedOperators), children: expressions },
    PARAMETER: { type: s.only('VALUE_PARAMETER'), identifier: boundName },
    SUBQUERY: {
      type: s.only('SUBQUERY'),
      subquery_type: s.oneOf(lists.subqueries),
      subquery: (value, scope, name) => scope.subquery(value, scope, name),
      child: s.optional(expression),
      comparison_type: s.oneOf(lists.subqueryComparisons),
    },
    WINDOW: {
      type: s.oneOf(lists.allowedWindows),
      function_name: s.oneOf(lists.allowedFunctions),
      schema: s.nothing,
      catalog: s.nothing,
      children: expressions,
      partitions: expressions,
      orders: s.listShape(order),
      start: s.oneOf(lists.frameBounds),
      end: s.oneOf(lists.frameBounds),
      start_expr: s.optional(expression),
      end_expr: s.optional(expression),
      offset_expr: s.optional(expression),
      default_expr: s.optional(expression),
      ignore_nulls: s.flag,
      filter_expr: s.optional(expression),
      exclude_clause: s.only('NO_OTHER'),
      distinct: s.flag,
      arg_orders: s.listShape(order),
    },
  },
  common,
);

/** Checks an expression and everything in it. */
export function expression(value: unknown, scope: s.VisibleNames, name: string): void {
  const { class: kind } = s.asNode(value, name);
  (kind === 'FUNCTION' ? functionCall : otherExpression)(value, scope, name);
}
