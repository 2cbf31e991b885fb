import { QueryFault } from '../../errors/query-fault.js';
import { type StructType, type Type, typeName } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { describePart } from '../bound/comparable.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { isHeavy, letMacro, letOnce } from '../duckdb-sql/let.js';
import { mapList, storedFields } from '../duckdb-sql/plain.js';
import type { Emitter } from './definition.js';
import { mayBeNan } from './nan.js';

/** One side of a comparison. */
interface Side {
  readonly value: DuckExpression;
  readonly type: Type;
  /** Whether it may be NaN: DuckDB treats NaN as equal to itself and greater than all numbers. */
  readonly mayBeNan: boolean;
  /** Set for a field that only log files have: records that both lack it may be equal. */
  readonly undeclared?: true | undefined;
}

type Operator = '<' | '<=' | '>' | '>=';

/**
 * The maximum weight of operands that do not become variables: joins and filters cannot use a comparison of variables.
 */
const maxInlineWeight = 60;

const names = { '<': 'Less than', '<=': 'Less than', '>': 'Greater than', '>=': 'Greater than' };

/** `a = b`, or `a <> b`: structs are compared field by field, and NaN equals nothing. */
export function equality(operator: '=' | '<>'): Emitter {
  return (args, node) => {
    refuseTypes('Equality', ['ARRAY', 'JSON'], node);
    const sides = comparedSides(args, node);
    const isPlain = operator === '<>' && !needsOwnEquality(sides);
    if (isPlain) return d.infix('<>', ...args);
    const equal = compareSides(sides, equalSides);
    return operator === '=' ? equal : { kind: 'prefix', operator: 'NOT', operand: equal };
  };
}

/** `a IS [NOT] DISTINCT FROM b`: two NaNs, or two NULLs, are not distinct. */
export function distinctness(operator: 'IS DISTINCT FROM' | 'IS NOT DISTINCT FROM'): Emitter {
  return (args, node) => {
    refuseTypes(operator, ['JSON'], node);
    return d.infix(operator, ...args);
  };
}

/** `a < b`, `a <= b`, `a > b`, `a >= b`. */
export function inequality(operator: Operator): Emitter {
  return (args, node) => {
    refuseTypes(names[operator], ['ARRAY', 'JSON', 'STRUCT'], node);
    return compareSides(comparedSides(args, node), (a, b) => ordered(operator, a, b));
  };
}

/** `a BETWEEN low AND high`. A column does not become a variable, so that DuckDB can skip blocks by their statistics. */
export function betweenBounds(...[args, node]: Parameters<Emitter>): DuckExpression {
  refuseTypes('BETWEEN', ['ARRAY', 'JSON', 'STRUCT'], node);
  const [value, , high] = comparedSides(args, node);
  const repeats = high?.mayBeNan || (value !== undefined && isHeavy(value.value));
  return repeats ? letOnce(args, (variables) => within(variables, node)) : within(args, node);
}

function within(...[args, node]: readonly [readonly DuckExpression[], bound.Call]): DuckExpression {
  const [value, low, high] = comparedSides(args, node);
  if (value === undefined || low === undefined || high === undefined) return d.nullValue;
  const upper = ordered('<=', value, high);
  // NaN is greater than a literal, so a literal upper bound excludes it. A bound of NULL or NaN does not.
  const end = node.args[2];
  const isExcluded = end?.kind === 'literal' && end.value !== null;
  const lower = ordered('>=', { ...value, mayBeNan: value.mayBeNan && !isExcluded }, low);
  return d.infix('AND', lower, upper);
}

/** `a IN (b, …)`, written as `a = b OR …` if DuckDB's equality differs from BigQuery's. */
export function membership(...[args, node]: Parameters<Emitter>): DuckExpression {
  refuseTypes('IN', ['ARRAY', 'JSON'], node);
  const [operand = d.nullValue, ...values] = args;
  const [side, ...others] = comparedSides(args, node);
  const isOwn = side !== undefined && others.some((other) => needsOwnEquality([side, other]));
  if (!isOwn) return { kind: 'in', operand, values };
  return d.infix('OR', ...others.map((other) => compareSides([side, other], equalSides)));
}

/** `a IN UNNEST(array)`, compared element by element if DuckDB's equality differs from BigQuery's. */
export function arrayMembership(...[args, node]: Parameters<Emitter>): DuckExpression {
  refuseTypes('IN', ['ARRAY', 'JSON'], { ...node, args: node.args.slice(0, 1) });
  const [side] = comparedSides(args, node);
  const [, array] = node.args;
  if (side === undefined || array?.type.kind !== 'ARRAY') return d.nullValue;
  const { element } = array.type;
  const nan = array.kind === 'array' ? array.elements.some(mayBeNan) : element.kind === 'FLOAT64';
  const other = { type: element, mayBeNan: nan };
  if (!needsOwnEquality([side, { ...side, ...other }])) return letMacro('in_unnest', ...args);
  return letOnce(args, ([value = d.nullValue, list = d.nullValue]) => {
    const tests = mapList(list, (one) => equalSides({ ...side, value }, { ...other, value: one }));
    return letMacro('some_true', tests);
  });
}

/** `NULLIF(a, b)`: NULL if both are equal; otherwise the first. */
export function nullIf(...[args, node]: Parameters<Emitter>): DuckExpression {
  refuseTypes('Equality', ['ARRAY', 'JSON'], node);
  const sides = comparedSides(args, node);
  if (!needsOwnEquality(sides)) return d.call('nullif', ...args);
  return compareSides(sides, (a, b) => d.choose(equalSides(a, b), d.nullValue, a.value));
}

function comparedSides(
  args: readonly DuckExpression[],
  { args: expressions }: bound.Call,
): readonly Side[] {
  return expressions.map((expression, i) => ({
    value: args[i] ?? d.nullValue,
    type: expression.type,
    mayBeNan: mayBeNan(expression),
  }));
}

/** @throws QueryFault if an argument has, at any depth, a type of one of these kinds */
export function refuseTypes(
  what: string,
  kinds: readonly Type['kind'][],
  { args, at }: bound.Call,
) {
  const bad = args.find(({ type }) => describePart(type, kinds) !== undefined);
  if (bad === undefined) return;
  throw new QueryFault(`${what} is not defined for arguments of type ${typeName(bad.type)}`, at);
}

/** Whether DuckDB's equality differs from BigQuery's. */
function needsOwnEquality(sides: readonly Side[]): boolean {
  return sides.some(({ type }) => type.kind === 'STRUCT') || sides.every((side) => side.mayBeNan);
}

function compareSides(
  [a, b]: readonly Side[],
  write: (a: Side, b: Side) => DuckExpression,
): DuckExpression {
  if (a === undefined || b === undefined) return d.nullValue;
  if (!needsOwnEquality([a, b])) return write(a, b);
  return letOnce(
    [a.value, b.value],
    ([left = d.nullValue, right = d.nullValue]) =>
      write({ ...a, value: left }, { ...b, value: right }),
    maxInlineWeight,
  );
}

function equalSides(a: Side, b: Side): DuckExpression {
  if (a.undeclared && b.undeclared) return d.infix('IS NOT DISTINCT FROM', a.value, b.value);
  if (a.type.kind === 'STRUCT' && b.type.kind === 'STRUCT') {
    const fields = sideFields(a, a.type);
    const others = sideFields(b, b.type);
    const tests = fields.map((field, i) => equalSides(field, others[i] ?? field));
    const equal = d.infix('AND', ...tests);
    // An undeclared field that both sides lack counts as equal, so two NULL records would be equal, too.
    const isNone = d.infix('OR', d.isNull(a.value), d.isNull(b.value));
    if (fields.some((field) => field.undeclared)) return d.choose(isNone, d.nullValue, equal);
    if (tests.length > 0) return equal;
  }
  const equal = d.infix('=', a.value, b.value);
  return a.mayBeNan && b.mayBeNan ? d.infix('AND', equal, isNumber(a, b)) : equal;
}

function ordered(operator: Operator, a: Side, b: Side): DuckExpression {
  const test = d.infix(operator, a.value, b.value);
  const [greater, other] = operator.startsWith('<') ? [b, a] : [a, b];
  return greater.mayBeNan ? d.infix('AND', test, isNumber(greater, other)) : test;
}

/** Whether the side is not NaN; also true if the other side is NULL, so that the comparison stays NULL. */
function isNumber(side: Side, other: Side): DuckExpression {
  const number = d.infix('<=', side.value, d.castTo(d.text('Infinity'), 'DOUBLE'));
  return other.mayBeNan ? d.infix('OR', number, d.isNull(other.value)) : number;
}

function sideFields({ value }: Side, type: StructType): readonly Side[] {
  return storedFields(value, type).map(([field, of], i) => ({
    value: value.kind === 'struct' ? (value.fields[i]?.value ?? of) : of,
    type: field.type,
    mayBeNan: field.type.kind === 'FLOAT64',
    undeclared: field.undeclared,
  }));
}
