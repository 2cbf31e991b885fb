import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import { didYouMean } from '../../errors/suggest.js';
import { rangeNames } from '../../types/ranges.js';
import { isRecords, scalar, type Type, typeName } from '../../types/types.js';
import * as bound from '../bound/bound.js';
import { arrayOwner, coerce } from '../bound/coerce.js';
import { boundLiteral, convertLiteral, parseInteger } from '../bound/literal.js';
import { asCondition, callByName, negated, withSupertype } from '../functions/match-call.js';
import type { Expression, ExpressionOf } from '../syntax/tree.js';
import { matchLogField } from './match-log-field.js';
import { bareCall, resolveCall } from './resolve-call.js';
import { resolveCast } from './resolve-cast.js';
import { resolveArray, resolveStruct } from './resolve-constructor.js';
import { resolveExtract, resolveInterval } from './resolve-date.js';
import { resolveIn } from './resolve-in.js';
import { resolveIndex } from './resolve-index.js';
import { resolveSubquery } from './resolve-subquery.js';
import { resolveWith } from './resolve-with.js';
import { fieldValue, findName, type Scope, unrecognized } from './scope.js';
import { fieldHint, repeatedFault } from './suggest-unnest.js';

type Kind = Expression['kind'];
type Resolvers = {
  readonly [K in Kind]: (node: ExpressionOf<K>, scope: Scope) => bound.Expression;
};

/**
 * Resolves an expression in a scope: its names, its type and the functions it calls.
 * @throws QueryFault for any error in the expression, in BigQuery's wording
 */
export function resolveExpression<K extends Kind>(
  node: ExpressionOf<K>,
  scope: Scope,
): bound.Expression {
  return resolvers[node.kind](node, scope);
}

function resolveAll(nodes: readonly Expression[], scope: Scope): readonly bound.Expression[] {
  return nodes.map((node) => resolveExpression(node, scope));
}

const resolvers: Resolvers = {
  literal: resolveLiteral,
  'typed-literal': ({ type, value, at }) => {
    const to = typedLiteralTypes[type];
    if (to === undefined) throw new QueryFault(`${type} literals are not supported`, at);
    return convertLiteral(boundLiteral('STRING', value), to, at);
  },
  interval: (node, scope) => resolveInterval(node, resolveExpression(node.value, scope)),
  parameter: ({ name, at }, { statement }) => {
    const wanted = name.toLowerCase();
    const found = [...statement.parameters].find(([other]) => other.toLowerCase() === wanted);
    if (found !== undefined) return { kind: 'parameter', name: found[0], type: found[1] };
    const near = didYouMean(name, statement.parameters.keys());
    throw new QueryFault(`Query parameter '${shortName(name)}' not found${near}`, at);
  },
  path: resolvePath,
  field: ({ of, name }, scope) => fieldValue(resolveExpression(of, scope), name),
  index: resolveIndex,
  star: ({ at }) => {
    throw new QueryFault('Syntax error: Unexpected "*"', at);
  },
  call: resolveCall,
  unary: resolveUnary,
  binary: resolveBinary,
  logical: ({ operator, operands, at }, scope) =>
    callByName(`$${operator}`, resolveAll(operands, scope), at),
  is: resolveIs,
  between: ({ operand, low, high, not, at }, scope) => {
    const values = resolveAll([operand, low, high], scope);
    return negated(not, callByName('$BETWEEN', matchLogField(values, at, 'order'), at), at);
  },
  in: resolveIn,
  case: resolveCase,
  cast: (node, scope) => {
    const zone = node.zone && resolveExpression(node.zone, scope);
    const format = node.format && resolveExpression(node.format, scope);
    return resolveCast(node, resolveExpression(node.operand, scope), { format, zone });
  },
  extract: (node, scope) => {
    const zone = node.zone && resolveExpression(node.zone, scope);
    return resolveExtract(node, resolveExpression(node.from, scope), zone);
  },
  array: (node, scope) => resolveArray(node, resolveAll(node.elements, scope)),
  struct: (node, scope) => {
    const values = node.fields.map(({ value }) => value);
    return resolveStruct(node, resolveAll(values, scope));
  },
  with: resolveWith,
  lambda: ({ at }) => {
    throw new QueryFault('Lambda expressions are not supported here', at);
  },
  subquery: resolveSubquery,
};

const comparisons: ReadonlySet<string> = new Set([
  ...['=', '<>', '<', '<=', '>', '>='],
  ...['IS DISTINCT FROM', 'IS NOT DISTINCT FROM'],
]);

type Binary = ExpressionOf<'binary'>;

/** Resolves a chain iteratively, from the innermost left operand: recursion would overflow the stack on long chains. */
function resolveBinary(node: Binary, scope: Scope): bound.Expression {
  const chain: Binary[] = [];
  let first: Expression = node;
  for (; first.kind === 'binary'; first = first.left) chain.push(first);
  return chain.reduceRight(
    (left, { operator, right, at }): bound.Expression => {
      const operands = [left, resolveExpression(right, scope)];
      if (!comparisons.has(operator)) return callByName(`$${operator}`, operands, at);
      const comparison = /^[<>]=?$/.test(operator) ? 'order' : 'equality';
      return callByName(`$${operator}`, matchLogField(operands, at, comparison), at);
    },
    resolveExpression(first, scope),
  );
}

const typedLiteralTypes: Readonly<Record<string, Type>> = Object.fromEntries(
  [
    ...(['DATE', 'DATETIME', 'TIME', 'TIMESTAMP', 'NUMERIC', 'BIGNUMERIC', 'JSON'] as const),
    ...rangeNames,
  ].map((kind) => [kind, scalar(kind)]),
);

const unaryOperators = { '-': '$negate', '+': '$plus', '~': '$invert', NOT: '$NOT' } as const;

/** Resolves a unary operator. A minus sign joins the literal after it: the lowest INT64 has no positive counterpart. */
function resolveUnary(node: ExpressionOf<'unary'>, scope: Scope): bound.Expression {
  const { operator, operand, at } = node;
  const isNumber = operand.kind === 'literal' && ['INT64', 'FLOAT64'].includes(operand.type);
  if (operator === '-' && isNumber)
    return resolveLiteral({ ...operand, value: `-${operand.value}` });
  return callByName(unaryOperators[operator], [resolveExpression(operand, scope)], at);
}

function resolveLiteral(node: ExpressionOf<'literal'>): bound.Expression {
  if (node.type === 'NULL') return { kind: 'literal', value: null, type: scalar('INT64') };
  if (node.type === 'FLOAT64' && !Number.isFinite(Number(node.value))) {
    return boundLiteral('FLOAT64', node.value.startsWith('-') ? '-inf' : 'inf');
  }
  if (node.type !== 'INT64') return boundLiteral(node.type, node.value);
  const value = parseInteger(node.value);
  if (value === undefined) throw new QueryFault(`Invalid integer literal: ${node.value}`, node.at);
  return boundLiteral('INT64', value);
}

/** `a.b.c`: a name, then fields. */
function resolvePath(node: ExpressionOf<'path'>, scope: Scope): bound.Expression {
  const { parts } = node;
  const [first] = parts;
  if (first === undefined) throw new Error('a path without parts');
  const base = findName(first, scope) ?? (parts.length === 1 ? bareCall(first) : undefined);
  if (base === undefined) throw unrecognized(first, scope, fieldHint(first, scope));
  return parts.reduce((value, name, index) => {
    if (index === 0) return value;
    if (isRecords(value.type)) throw repeatedFault(parts, index, value.type, scope);
    return fieldValue(value, name);
  }, base);
}

function resolveIs(node: ExpressionOf<'is'>, scope: Scope): bound.Expression {
  const of = resolveExpression(node.operand, scope);
  const type = scalar('BOOL');
  if (node.test === 'TRUE' || node.test === 'FALSE') {
    const value = asCondition(of, node.at);
    return negated(node.not, callByName(`$IS ${node.test}`, [value], node.at), node.at);
  }
  const isRecords = of.type.kind === 'ARRAY' && bound.isLogField(of);
  const owner = isRecords ? arrayOwner(of) : of;
  const test: bound.Expression =
    owner === undefined ? boundLiteral('BOOL', 'false') : { kind: 'is-null', of: owner, type };
  return negated(node.not, test, node.at);
}

function resolveCase(node: ExpressionOf<'case'>, scope: Scope): bound.Expression {
  const tests = node.whens.map(({ when }) => resolveExpression(when, scope));
  const operand = node.operand && resolveExpression(node.operand, scope);
  const [compared, ...whens] = conditions(operand, tests, node.at);
  const nullLiteral: bound.Expression = { kind: 'literal', value: null, type: scalar('INT64') };
  const otherwise = node.otherwise ? resolveExpression(node.otherwise, scope) : nullLiteral;
  const results = node.whens.map(({ result }) => resolveExpression(result, scope));
  const all = toSupertype([...results, otherwise], node.at);
  return {
    kind: 'case',
    ...(compared && { operand: compared }),
    whens: whens.map((when, i) => ({ when: when ?? nullLiteral, result: all[i] ?? nullLiteral })),
    otherwise: all.at(-1) ?? nullLiteral,
    type: all[0]?.type ?? nullLiteral.type,
  };
}

/**
 * Returns the operand of CASE and the values to compare with it, or no operand and conditions. For types whose equality
 * differs in DuckDB's CASE, such as floats with NaN, the conditions use `=`.
 */
function conditions(
  operand: bound.Expression | undefined,
  tests: readonly bound.Expression[],
  at: number,
): readonly (bound.Expression | undefined)[] {
  if (operand === undefined) {
    return [undefined, ...tests.map((test) => asCondition(test, at))];
  }
  const values = toSupertype(matchLogField([operand, ...tests], at), at);
  const [first = operand, ...others] = values;
  if (!['FLOAT64', 'STRUCT', 'ARRAY', 'JSON'].includes(first.type.kind)) return values;
  return [undefined, ...others.map((value) => callByName('$=', [first, value], at))];
}

/** Coerces the values of CASE to their supertype. */
function toSupertype(values: readonly bound.Expression[], at: number): readonly bound.Expression[] {
  const common = withSupertype(values);
  if (common !== undefined) return common.values.map((value) => coerce(value, common.type, at));
  const types = [...new Set(values.map(({ type }) => typeName(type)))].join(', ');
  const message = `No matching signature for operator CASE: no common type of ${types}`;
  throw new QueryFault(message, at);
}
