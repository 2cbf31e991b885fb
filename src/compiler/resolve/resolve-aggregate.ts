import { QueryFault } from '../../errors/query-fault.js';
import type * as bound from '../bound/bound.js';
import { plain } from '../bound/coerce.js';
import { checkOrder, notGroupable, orderKey } from '../bound/comparable.js';
import { fingerprint } from '../bound/fingerprint.js';
import { isUnstable, someExpression } from '../bound/search.js';
import type { FunctionDefinition } from '../functions/definition.js';
import { findFunction } from '../functions/functions.js';
import { matchCall } from '../functions/match-call.js';
import { title } from '../functions/print-signature.js';
import type { Call, Expression, OrderItem } from '../syntax/tree.js';
import { addAggregate, resolvePart, type Scope } from './scope.js';

/**
 * Resolves an aggregate call to a column of its block. Its arguments can use the columns of FROM, but no
 * aliases.
 * @throws QueryFault if no aggregate is allowed here
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/aggregate-function-calls
 */
export function resolveAggregate(node: Call, definition: FunctionDefinition, scope: Scope) {
  const { aggregates } = scope;
  if (aggregates === undefined) throw notAllowedHere(node, definition, scope);
  return addAggregate(aggregateCall(node, definition, aggregates.scope), aggregates);
}

function notAllowedHere(node: Call, definition: FunctionDefinition, { clause }: Scope): QueryFault {
  const message =
    clause === 'aggregate'
      ? 'Aggregations of aggregations are not allowed'
      : `Aggregate function ${title(definition.name)} not allowed in ${clause ?? 'this clause'}`;
  return new QueryFault(message, node.at);
}

/** Resolves the arguments and clauses of an aggregate or window function. */
export function aggregateCall(
  node: Call,
  definition: FunctionDefinition,
  scope: Scope,
): bound.Call {
  refuseClauses(node, definition);
  const star = node.arguments[0]?.value.kind === 'star';
  const args = star ? [] : node.arguments.map(({ value }) => resolvePart(value, scope));
  const matched = matchCall(star ? countStar(node) : definition, args, node.at);
  const clauses = resolveClauses(node, scope);
  if (clauses.distinct) checkDistinct(matched, clauses);
  return { ...matched, clauses };
}

/**
 * Refuses keys other than the arguments: DISTINCT keeps equal values once, so nothing else can order them. A key such
 * as `rand()` is another value than the argument `rand()`.
 */
function checkDistinct({ args, at }: bound.Call, { orderBy }: bound.Clauses): void {
  const [part] = args.flatMap(({ type }) => notGroupable(type) ?? []);
  if (part !== undefined) {
    const message = `Aggregate functions with DISTINCT cannot be used with arguments of type ${part}`;
    throw new QueryFault(message, at);
  }
  const fixed = args.filter((arg) => !someExpression(arg, isUnstable));
  const isArgument = new Set(fixed.map(fingerprint));
  if (orderBy.every(({ value }) => isArgument.has(fingerprint(value)))) return;
  const message =
    'An aggregate function that has both DISTINCT and ORDER BY arguments can only ORDER BY expressions that are arguments to the function';
  throw new QueryFault(message, at);
}

function resolveClauses({ having, limit, ...node }: Call, scope: Scope): bound.Clauses {
  const extreme = having && plain(resolvePart(having.value, scope));
  if (extreme) checkOrder(extreme, having.value.at, 'HAVING modifier');
  const count = limit && checkCount(limit, resolvePart(limit, scope));
  return {
    distinct: node.distinct,
    ignoreNulls: node.nulls === 'IGNORE',
    respectNulls: node.nulls === 'RESPECT',
    orderBy: orderKeys(node.orderBy, scope),
    ...(count && { limit: count }),
    ...(extreme && { having: { kind: having.kind, value: extreme } }),
  };
}

/**
 * Checks the operand of LIMIT or OFFSET: an integer literal or a parameter.
 * @throws QueryFault for anything else
 */
export function checkCount({ at }: Expression, value: bound.Expression): bound.Expression {
  const isNumber = value.kind === 'literal' && /^\d+$/.test(value.value ?? '');
  if (value.type.kind === 'INT64' && (isNumber || value.kind === 'parameter')) return value;
  throw new QueryFault('LIMIT and OFFSET expect a non-negative integer literal or parameter', at);
}

/** Resolves the keys of ORDER BY inside a call or a window. */
export function orderKeys(items: readonly OrderItem[], scope: Scope): readonly bound.Order[] {
  return items.map((item) => orderKey(item, resolvePart(item.value, scope)));
}

function refuseClauses(node: Call, definition: FunctionDefinition): void {
  const name = title(definition.name);
  const [named] = node.arguments.flatMap((argument) => argument.name ?? []);
  if (named !== undefined) {
    throw new QueryFault(`Named arguments are not supported for ${name}`, named.at);
  }
  const clause = node.orderBy.length > 0 ? 'ORDER BY' : node.limit && 'LIMIT';
  if (clause !== undefined && !definition.isOrdered) {
    throw new QueryFault(`${clause} in arguments is not supported for ${name}`, node.at);
  }
  refuseNullsAndDistinct(node, definition, name);
  if (node.having !== undefined && node.over !== undefined) {
    throw new QueryFault('HAVING modifier is not supported on analytic functions', node.at);
  }
  if (node.having !== undefined && noHaving.has(definition.name)) {
    const message = `HAVING ${node.having.kind} in arguments is not supported for ${name}`;
    throw new QueryFault(message, node.at);
  }
}

/** The functions that support IGNORE NULLS and RESPECT NULLS according to the manual. */
const supportsNulls: ReadonlySet<string> = new Set([
  ...['approx_quantiles', 'array_agg', 'first_value', 'last_value', 'nth_value'],
  ...['percentile_cont', 'percentile_disc'],
]);

const noDistinct: ReadonlySet<string> = new Set([
  ...['approx_top_count', 'approx_top_sum', 'corr', 'covar_pop', 'covar_samp'],
]);

const noHaving: ReadonlySet<string> = new Set(['grouping', 'max_by', 'min_by']);

function refuseNullsAndDistinct(node: Call, definition: FunctionDefinition, name: string): void {
  if (node.nulls !== undefined && !supportsNulls.has(definition.name)) {
    const message = `IGNORE NULLS and RESPECT NULLS in arguments are not supported for ${name}`;
    throw new QueryFault(message, node.at);
  }
  if (node.distinct && (definition.kind === 'window' || noDistinct.has(definition.name))) {
    throw new QueryFault(`DISTINCT in arguments is not supported for ${name}`, node.at);
  }
}

function countStar(node: Call): FunctionDefinition {
  const definition =
    node.path.at(-1)?.name.toLowerCase() === 'count' && findFunction('$count_star');
  if (definition && !node.distinct && node.arguments.length === 1) return definition;
  throw new QueryFault('Argument * can only be used in COUNT(*)', node.at);
}
