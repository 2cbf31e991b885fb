import * as lists from './allow-list.js';
import * as shape from './shape.js';

/** The name of a bound parameter; positional parameters are refused. */
export const boundName: shape.Check = (value, { parameters }, name) => {
  const parameterName = shape.expectText(value, name);
  if (!parameters.has(parameterName) || /^\d/.test(parameterName)) shape.refuse(name, value);
};

/** A list of names. */
function namesIn(value: unknown, name: string): readonly string[] {
  return shape.asList(value, name).map((part) => shape.expectText(part, name));
}

/** A column as `alias.column`, or a lambda's parameter; DuckDB may read any other bare name as a function. */
const columnName: shape.Check = (value, { aliases, lambdas }, name) => {
  const [first, second, ...more] = namesIn(value, name);
  const visible = second === undefined ? lambdas : aliases;
  if (first === undefined || more.length > 0 || !visible.has(first)) shape.refuse(name, value);
};

const scalar: shape.Check = (value, scope, name) => {
  // A 128-bit number is serialized as two numbers.
  if (['string', 'number', 'boolean'].includes(typeof value)) return;
  shape.record({ upper: shape.number, lower: shape.number })(value, scope, name);
};

const typeParts = shape.recordBy(
  'type',
  {
    LIST_TYPE_INFO: { child_type: type },
    STRUCT_TYPE_INFO: {
      child_types: shape.listShape(shape.record({ first: shape.textShape, second: type })),
    },
    DECIMAL_TYPE_INFO: { width: shape.number, scale: shape.number },
    UNBOUND_TYPE_INFO: {
      // The parser knows a type only by name if an extension provides it.
      name: shape.only('JSON'),
      catalog: shape.nothing,
      schema: shape.nothing,
      user_type_modifiers: shape.nothing,
    },
  },
  { alias: shape.nothing, extension_info: shape.nothing },
);

const typeWithParts = shape.record({
  id: shape.oneOf(new Set(['LIST', 'STRUCT', 'DECIMAL', 'UNBOUND'])),
  type_info: typeParts,
});

const plainType = shape.record({ id: shape.oneOf(lists.plainTypes), type_info: shape.nothing });

function type(value: unknown, scope: shape.VisibleNames, name: string): void {
  const { type_info: parts } = shape.asNode(value, name);
  (parts === null ? plainType : typeWithParts)(value, scope, name);
}

const valueConstant = shape.record({ type, is_null: shape.flag, value: scalar });
const nullConstant = shape.record({ type, is_null: shape.flag });

function constant(value: unknown, scope: shape.VisibleNames, name: string): void {
  const { is_null: isNull } = shape.asNode(value, name);
  (isNull === true ? nullConstant : valueConstant)(value, scope, name);
}

/** A key of ORDER BY. */
export const order = orderShape(expression);

function orderShape(key: shape.Check): shape.Check {
  const { directions, nullOrders } = lists;
  return shape.record({
    type: shape.oneOf(directions),
    null_order: shape.oneOf(nullOrders),
    expression: key,
  });
}

/** The properties of every expression. */
const common: shape.NodeShape = {
  class: shape.textShape,
  type: shape.textShape,
  alias: shape.textShape,
  query_location: shape.number,
};

/** A column of the subquery, as the parser writes it for `ARRAY(SELECT …)`: by its index or a generated name. */
function arrayColumn(value: unknown, scope: shape.VisibleNames, name: string): void {
  const { class: kind, column_names: names } = shape.asNode(value, name);
  if (kind === 'POSITIONAL_REFERENCE') positional(value, scope, name);
  else {
    parameter(value, scope, name);
    const [key, ...more] = namesIn(names, name);
    if (key === undefined || more.length > 0 || !lists.arrayKey.test(key))
      shape.refuse(name, names);
  }
}

const positional = shape.record({ ...common, index: shape.number });

const parameter = shape.record({ ...common, column_names: shape.listShape(shape.textShape) });

/** `lambda x, y: …`; its parameters are visible in its body, and in lambdas inside it. */
function lambda(value: unknown, scope: shape.VisibleNames, name: string): void {
  const { lhs } = shape.asNode(value, name);
  const lambdas = new Set([...scope.lambdas, ...lambdaParameters(lhs, scope)]);
  const body: shape.Check = (inner) => expression(inner, { ...scope, lambdas }, 'expr');
  shape.record({ ...common, lhs: () => {}, expr: body })(value, scope, name);
}

function lambdaParameters(value: unknown, scope: shape.VisibleNames): readonly string[] {
  const {
    class: kind,
    function_name: name,
    children,
    column_names: names,
  } = shape.asNode(value, 'lhs');
  if (kind === 'FUNCTION') {
    if (name !== 'row') shape.refuse('lhs', name);
    parameterRow(value, scope, 'lhs');
    return shape.asList(children, 'lhs').flatMap((child) => lambdaParameters(child, scope));
  }
  parameter(value, scope, 'lhs');
  const parts = namesIn(names, 'lhs');
  return kind === 'COLUMN_REF' && parts.length === 1 ? parts : shape.refuse('lhs', value);
}

function argument(value: unknown, scope: shape.VisibleNames, name: string): void {
  const { class: kind } = shape.asNode(value, name);
  (kind === 'LAMBDA' ? lambda : expression)(value, scope, name);
}

function call(children: shape.Check, key: shape.Check = order): shape.Check {
  return shape.record({
    ...common,
    type: shape.only('FUNCTION'),
    function_name: shape.textShape,
    schema: shape.textShape,
    catalog: shape.nothing,
    children,
    filter: shape.optional(expression),
    order_bys: shape.record({ type: shape.textShape, orders: shape.listShape(key) }),
    distinct: shape.flag,
    is_operator: shape.flag,
    export_state: shape.nothing,
  });
}

const parameterRow = call(shape.listShape(parameter));

const expressions = shape.listShape(expression);

/** Exactly one argument. */
const single: shape.Check = (value, scope, name) => {
  if (shape.asList(value, name).length !== 1) shape.refuse(name, value);
  expressions(value, scope, name);
};

const calls = {
  single: call(single),
  plain: call(expressions),
  lambda: call(shape.listShape(argument)),
  array: call(shape.listShape(arrayColumn), orderShape(arrayColumn)),
} as const;

type FindCall = (name: string, scope: shape.VisibleNames) => shape.Check | undefined;

/** The check of a call by schema and function name; undefined if the function is not allowed. */
const callsBySchema: ReadonlyMap<string, FindCall> = new Map<string, FindCall>([
  ['', builtIn],
  ['main', (name) => (lists.parserFunctions.has(name) ? calls.plain : undefined)],
  ['bq', (name, { macros }) => (macros.has(name) ? calls.plain : undefined)],
]);

function builtIn(name: string): shape.Check | undefined {
  if (name === lists.arrayFunction) return calls.array;
  if (!lists.allowedFunctions.has(name.replace(/^js_safe_/, 'js_'))) return undefined;
  if (lists.singleFunctions.has(name)) return calls.single;
  return lists.lambdaFunctions.has(name) ? calls.lambda : calls.plain;
}

function functionCall(value: unknown, scope: shape.VisibleNames): void {
  const { function_name: functionName, schema: schemaName } = shape.asNode(value, 'function');
  const name = shape.expectText(functionName, 'function_name');
  const schema = shape.expectText(schemaName, 'schema');
  const check =
    callsBySchema.get(schema)?.(name, scope) ?? shape.refuse('function', [schema, name]);
  check(value, scope, 'function');
}

/** The other classes of expressions; lambdas and positional columns are allowed only where a call checks them. */
const otherExpression = shape.recordBy(
  'class',
  {
    CASE: {
      type: shape.only('CASE_EXPR'),
      case_checks: shape.listShape(shape.record({ when_expr: expression, then_expr: expression })),
      else_expr: expression,
    },
    CAST: {
      type: shape.only('OPERATOR_CAST'),
      child: expression,
      cast_type: type,
      try_cast: shape.flag,
    },
    COLUMN_REF: { type: shape.only('COLUMN_REF'), column_names: columnName },
    COMPARISON: {
      type: shape.oneOf(lists.allowedComparisons),
      left: expression,
      right: expression,
    },
    CONJUNCTION: { type: shape.oneOf(lists.conjunctions), children: expressions },
    CONSTANT: { type: shape.only('VALUE_CONSTANT'), value: constant },
    OPERATOR: { type: shape.oneOf(lists.allowedOperators), children: expressions },
    PARAMETER: { type: shape.only('VALUE_PARAMETER'), identifier: boundName },
    SUBQUERY: {
      type: shape.only('SUBQUERY'),
      subquery_type: shape.oneOf(lists.subqueries),
      subquery: (value, scope, name) => scope.subquery(value, scope, name),
      child: shape.optional(expression),
      comparison_type: shape.oneOf(lists.subqueryComparisons),
    },
    WINDOW: {
      type: shape.oneOf(lists.allowedWindows),
      function_name: shape.oneOf(lists.allowedFunctions),
      schema: shape.nothing,
      catalog: shape.nothing,
      children: expressions,
      partitions: expressions,
      orders: shape.listShape(order),
      start: shape.oneOf(lists.frameBounds),
      end: shape.oneOf(lists.frameBounds),
      start_expr: shape.optional(expression),
      end_expr: shape.optional(expression),
      offset_expr: shape.optional(expression),
      default_expr: shape.optional(expression),
      ignore_nulls: shape.flag,
      filter_expr: shape.optional(expression),
      exclude_clause: shape.only('NO_OTHER'),
      distinct: shape.flag,
      arg_orders: shape.listShape(order),
    },
  },
  common,
);

/** Checks an expression and everything in it. */
export function expression(value: unknown, scope: shape.VisibleNames, name: string): void {
  const { class: kind } = shape.asNode(value, name);
  (kind === 'FUNCTION' ? functionCall : otherExpression)(value, scope, name);
}
