import type {
  BoundCall,
  BoundExpression,
  BoundFrom,
  BoundItem,
  BoundOrder,
  BoundQuery,
  BoundSelect,
} from './bound.js';

type Mapper = (expression: BoundExpression) => BoundExpression;

/**
 * Replaces an expression, or parts of it: `replace` is called from the outside in, and where it
 * returns undefined, its parts are mapped.
 */
export function mapExpression(
  expression: BoundExpression,
  replace: (expression: BoundExpression) => BoundExpression | undefined,
): BoundExpression {
  // Operator chains are iterated from the first operand: recursion would overflow the stack on long ones.
  const chain: BoundCall[] = [];
  let node = expression;
  let replaced = replace(node);
  while (replaced === undefined && isBinary(node)) {
    chain.push(node);
    node = node.args[0];
    replaced = replace(node);
  }
  const map = (inner: BoundExpression) => mapExpression(inner, replace);
  return chain.reduceRight<BoundExpression>(
    (left, step) => ({ ...step, args: [left, ...step.args.slice(1).map(map)] }),
    replaced ?? mapParts(node, map),
  );
}

/** Whether a call may be part of a chain of binary operators. */
function isBinary(node: BoundExpression): node is BoundCall & { args: readonly [BoundExpression] } {
  return node.kind === 'call' && node.clauses === undefined && node.args.length === 2;
}

function mapParts(expression: BoundExpression, map: Mapper): BoundExpression {
  switch (expression.kind) {
    case 'field':
    case 'plain':
    case 'only':
    case 'cast':
    case 'is-null':
      return { ...expression, of: map(expression.of) };
    case 'call':
      return mapCall(expression, map);
    case 'case':
      return {
        ...expression,
        whens: expression.whens.map(({ when, result }) => ({
          when: map(when),
          result: map(result),
        })),
        otherwise: map(expression.otherwise),
        ...(expression.operand && { operand: map(expression.operand) }),
      };
    case 'array':
      return { ...expression, elements: expression.elements.map(map) };
    case 'struct':
      return { ...expression, values: expression.values.map(map) };
    case 'subquery': {
      const operand = expression.operand && map(expression.operand);
      const query = mapQuery(expression.query, map);
      return { ...expression, query, ...(operand && { operand }) };
    }
    default:
      return expression;
  }
}

function mapCall(node: BoundCall, map: Mapper): BoundCall {
  const mapped = { ...node, args: node.args.map(map) };
  const { clauses } = node;
  if (clauses === undefined) return mapped;
  const order = (item: BoundOrder): BoundOrder => ({ ...item, value: map(item.value) });
  const { over } = clauses;
  const window = over && {
    ...over,
    partitionBy: over.partitionBy.map(map),
    orderBy: over.orderBy.map(order),
  };
  const orderBy = clauses.orderBy.map(order);
  return { ...mapped, clauses: { ...clauses, orderBy, ...(window && { over: window }) } };
}

/** Whether a test holds for an expression or any part of it. */
export function someExpression(
  expression: BoundExpression,
  test: (expression: BoundExpression) => boolean,
): boolean {
  let found = false;
  mapExpression(expression, (inner) => {
    found ||= test(inner);
    return undefined;
  });
  return found;
}

/** Whether an expression calls a window function. */
export function hasWindow(expression: BoundExpression): boolean {
  return someExpression(
    expression,
    (node) => node.kind === 'call' && node.clauses?.over !== undefined,
  );
}

/** Whether an expression contains a subquery. */
export function hasSubquery(expression: BoundExpression): boolean {
  return someExpression(expression, ({ kind }) => kind === 'subquery');
}

/** The names of all struct fields that a query reads. */
export function fieldNamesOf(query: BoundQuery): ReadonlySet<string> {
  const names = new Set<string>();
  const note = (expression: BoundExpression) => {
    if (expression.kind === 'field') names.add(expression.name);
    return undefined;
  };
  mapQuery(query, (expression) => mapExpression(expression, note));
  return names;
}

/** Whether a test holds for any expression in a query, subqueries included. */
export function someInQuery(
  query: BoundQuery,
  test: (expression: BoundExpression) => boolean,
): boolean {
  let found = false;
  mapQuery(query, (expression) => {
    found ||= someExpression(expression, test);
    return expression;
  });
  return found;
}

/** Maps every expression in a query, subqueries included. */
function mapQuery(query: BoundQuery, map: Mapper): BoundQuery {
  const { body, limit, offset } = query;
  return {
    ...query,
    ctes: query.ctes.map((cte) => ({ ...cte, query: mapQuery(cte.query, map) })),
    body: mapBody(body, map),
    orderBy: query.orderBy.map((item) => ({ ...item, value: map(item.value) })),
    ...(limit && { limit: map(limit) }),
    ...(offset && { offset: map(offset) }),
  };
}

function mapBody(body: BoundQuery['body'], map: Mapper): BoundQuery['body'] {
  if (body.kind === 'query') return mapQuery(body, map);
  if (body.kind === 'select') return mapSelect(body, map);
  return { ...body, operands: body.operands.map((operand) => mapQuery(operand, map)) };
}

function mapSelect(select: BoundSelect, map: Mapper): BoundSelect {
  const { where, grouping, having, qualify } = select;
  const items = (list: readonly BoundItem[]) =>
    list.map((item) => ({ ...item, value: map(item.value) }));
  return {
    ...select,
    items: items(select.items),
    from: mapFrom(select.from, map),
    ...(where && { where: map(where) }),
    ...(grouping && {
      grouping: { ...grouping, keys: items(grouping.keys), aggregates: items(grouping.aggregates) },
    }),
    ...(having && { having: map(having) }),
    ...(qualify && { qualify: map(qualify) }),
  };
}

function mapFrom(from: BoundFrom, map: Mapper): BoundFrom {
  if (from.kind === 'derived') return { ...from, query: mapQuery(from.query, map) };
  if (from.kind === 'unnest') {
    const on = from.on && map(from.on);
    return { ...from, left: mapFrom(from.left, map), array: map(from.array), ...(on && { on }) };
  }
  if (from.kind !== 'join') return from;
  const on = from.on && map(from.on);
  return {
    ...from,
    left: mapFrom(from.left, map),
    right: mapFrom(from.right, map),
    ...(on && { on }),
  };
}
