import type * as bound from '../bound/bound.js';
import { isNullLiteral } from '../bound/coerce.js';
import { callDefinition } from '../functions/functions.js';
import {
  binaryNode,
  callNode,
  queryNode,
  selectNode,
  testNode,
  word,
  wordNode,
} from '../syntax/make-nodes.js';
import type { Call, Expression, NamedArgument, OrderItem, WindowSpec } from '../syntax/tree.js';
import type { BuildScope } from './build-scope.js';
import { buildType } from './build-type.js';

/** Builds the syntax tree of a call, which may be an operator. */
export function buildCall(call: bound.Call, scope: BuildScope): Expression {
  const { name } = call.function;
  const { clauses } = call;
  const args = call.args.map(scope.build);
  if (name in clocks) return clockCall(name, args, call.safe);
  if (name.startsWith('$CAST ')) return formatCast(call, args);
  const syntax = operators[name]?.(args) ?? namedCall(call, args);
  if (syntax.kind !== 'call') return syntax;
  const path = call.safe ? [word('SAFE'), ...syntax.path] : syntax.path;
  return { ...syntax, path, ...(clauses && buildClauses(clauses, scope)) };
}

/** Builds the keys of an ORDER BY. */
export function buildOrder(
  orderBy: readonly bound.Order[],
  { build }: BuildScope,
): readonly OrderItem[] {
  return orderBy.map(({ value, descending, nulls }) => {
    return { value: build(value), descending, ...(nulls && { nulls }), at: 0 };
  });
}

function buildClauses(clauses: bound.Clauses, scope: BuildScope): Partial<Call> {
  const { distinct, ignoreNulls, respectNulls, limit, having, over } = clauses;
  const { build } = scope;
  return {
    distinct,
    orderBy: buildOrder(clauses.orderBy, scope),
    ...(ignoreNulls && { nulls: 'IGNORE' }),
    ...(respectNulls && { nulls: 'RESPECT' }),
    ...(limit && { limit: build(limit) }),
    ...(having && { having: { ...having, value: build(having.value) } }),
    ...(over && { over: buildWindow(over, scope) }),
  };
}

function buildWindow({ partitionBy, orderBy, frame }: bound.Window, scope: BuildScope): WindowSpec {
  const { build } = scope;
  const end = ({ kind, offset }: bound.FrameBound) => ({
    kind,
    ...(offset && { offset: build(offset) }),
  });
  return {
    partitionBy: partitionBy.map(build),
    orderBy: buildOrder(orderBy, scope),
    ...(frame && { frame: { unit: frame.unit, start: end(frame.start), end: end(frame.end) } }),
    at: 0,
  };
}

/** The conversion that each clock function applies to the instant of the request. */
const clocks: Readonly<Record<string, string>> = {
  current_timestamp: '',
  current_date: 'DATE',
  current_datetime: 'DATETIME',
  current_time: 'TIME',
};

/** `CURRENT_DATE(zone)` -> `DATE(@now, zone)` */
function clockCall(name: string, args: readonly Expression[], safe: boolean): Expression {
  const now: Expression = { kind: 'parameter', name: 'now', at: 0 };
  const convert = clocks[name];
  if (!convert) return now;
  return callNode(safe ? `SAFE.${convert}` : convert, [now, ...args]);
}

/** `$CAST DATE AS STRING FORMAT` */
function formatCast(
  { safe, type }: bound.Call,
  [operand = nothing, format = nothing, zone]: readonly Expression[],
): Expression {
  const to = buildType(type);
  return { kind: 'cast', operand, type: to, safe, format, ...(zone && { zone }), at: 0 };
}

/** A default for the type checker only: every call has its operands. */
const nothing: Expression = { kind: 'literal', type: 'NULL', value: 'NULL', at: 0 };

type Write = (args: readonly Expression[]) => Expression;

const binary = (operator: string): Write => {
  return ([left = nothing, right = nothing]) => binaryNode(operator, left, right);
};

const logical = (operator: 'AND' | 'OR'): Write => {
  return (args) => {
    const [first, ...others] = args;
    if (first !== undefined && others.length === 0) return first;
    if (first !== undefined) return { kind: 'logical', operator, operands: args, at: 0 };
    return { kind: 'literal', type: 'BOOL', value: String(operator === 'AND'), at: 0 };
  };
};

const unary = (operator: '-' | '+' | '~' | 'NOT'): Write => {
  return ([operand = nothing]) => ({ kind: 'unary', operator, operand, at: 0 });
};

const subscript = (name: string): Write => {
  return ([of = nothing, index = nothing]) => ({
    kind: 'index',
    of,
    index: callNode(name, [index]),
    at: 0,
  });
};

const binaryOperators = [
  ...['+', '-', '*', '/', '||', '&', '|', '^', '<<', '>>', '=', '<>', '<', '<=', '>', '>='],
  ...['IS DISTINCT FROM', 'IS NOT DISTINCT FROM', 'LIKE', 'LIKE ANY', 'LIKE ALL'],
];

/** Writes ILIKE, which BigQuery does not have, as LIKE of lower-case strings. */
const ignoringCase = (operator: string, lowered: (pattern: Expression) => Expression): Write => {
  return ([text = nothing, pattern = nothing]) =>
    binaryNode(operator, lower(text), lowered(pattern));
};

function lower(text: Expression): Expression {
  return callNode('LOWER', [text]);
}

/** `ARRAY(SELECT LOWER(pattern) FROM UNNEST(patterns) AS pattern)` */
function lowerAll(patterns: Expression): Expression {
  if (patterns.kind === 'array') return { ...patterns, elements: patterns.elements.map(lower) };
  const from = { kind: 'unnest', array: patterns, alias: word('pattern'), at: 0 } as const;
  const item = { kind: 'item', value: lower(wordNode('pattern')), at: 0 } as const;
  const query = queryNode(selectNode({ items: [item], from, at: 0 }));
  return { kind: 'subquery', form: 'ARRAY', query, at: 0 };
}

/** The functions that write operators, by their names in the function table. */
const operators: Readonly<Record<string, Write>> = {
  ...Object.fromEntries(binaryOperators.map((operator) => [`$${operator}`, binary(operator)])),
  $ILIKE: ignoringCase('LIKE', lower),
  '$ILIKE ANY': ignoringCase('LIKE ANY', lowerAll),
  '$ILIKE ALL': ignoringCase('LIKE ALL', lowerAll),
  $AND: logical('AND'),
  $OR: logical('OR'),
  $NOT: unary('NOT'),
  $negate: unary('-'),
  $plus: unary('+'),
  $invert: unary('~'),
  '$IS TRUE': ([operand = nothing]) => testNode(operand, 'TRUE'),
  '$IS FALSE': ([operand = nothing]) => testNode(operand, 'FALSE'),
  $BETWEEN: ([operand = nothing, low = nothing, high = nothing]) => ({
    ...{ kind: 'between', operand, not: false, low, high, at: 0 },
  }),
  $IN: ([operand = nothing, ...values]) => ({ kind: 'in', operand, not: false, values, at: 0 }),
  '$IN UNNEST': ([operand = nothing, array = nothing]) => ({
    ...{ kind: 'in', operand, not: false, values: { array }, at: 0 },
  }),
  $offset: subscript('OFFSET'),
  $ordinal: subscript('ORDINAL'),
  $safe_offset: subscript('SAFE_OFFSET'),
  $safe_ordinal: subscript('SAFE_ORDINAL'),
  $json_at: ([of = nothing, index = nothing]) => ({ kind: 'index', of, index, at: 0 }),
  $interval: ([value = nothing, part]) => ({ kind: 'interval', value, part: toPart(part), at: 0 }),
  $extract: ([part = nothing, from = nothing, zone]) => extractNode(part, from, zone),
  $extract_date: ([from = nothing, zone]) => extractNode(wordNode('DATE'), from, zone),
  $extract_datetime: ([from = nothing, zone]) => extractNode(wordNode('DATETIME'), from, zone),
  $extract_time: ([from = nothing, zone]) => extractNode(wordNode('TIME'), from, zone),
  $redact: (args) => callNode('redact', args),
  $redact_bytes: (args) => callNode('redact_bytes', args),
  $redact_json: (args) => callNode('redact_json', args),
  $window_start: () => ({ kind: 'parameter', name: 'window_start', at: 0 }),
  $count_star: () => callNode('COUNT', [{ kind: 'star', at: 0 }]),
};

function extractNode(part: Expression, from: Expression, zone: Expression | undefined): Expression {
  return { kind: 'extract', part, from, ...(zone && { zone }), at: 0 };
}

function toPart(part: Expression | undefined): string {
  return part?.kind === 'path' ? (part.parts[0]?.name ?? '') : '';
}

/**
 * Writes a function call. Optional named arguments are passed by name, because some must be; omitted arguments before
 * others are NULL in the bound tree.
 */
function namedCall(call: bound.Call, args: readonly Expression[]): Call {
  const { name } = call.function;
  const written = callNode(name.toUpperCase(), args);
  const signature = callDefinition(call).signatures.find((one) => one.args.some((arg) => arg.name));
  if (signature === undefined) return written;
  const { args: patterns, required, repeats } = signature;
  const fixed = repeats ? patterns.length - 1 : patterns.length;
  const given = args.flatMap((value, index): readonly NamedArgument[] => {
    const pattern = index < fixed ? patterns[index] : undefined;
    const isOptional = index >= required || pattern?.default !== undefined;
    if (pattern === undefined || !isOptional) return [{ value }];
    const isLeftOut = pattern.default === undefined && index < args.length - 1;
    const argument = call.args[index];
    if (isLeftOut && argument !== undefined && isNullLiteral(argument)) return [];
    return [pattern.name === undefined ? { value } : { name: word(pattern.name), value }];
  });
  const isNamed = (argument: NamedArgument) => argument.name !== undefined;
  const positional = given.filter((argument) => !isNamed(argument));
  return { ...written, arguments: [...positional, ...given.filter(isNamed)] };
}
