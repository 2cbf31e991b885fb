import { QueryFault } from '../../errors/query-fault.js';
import { type StructType, type Type, typeName } from '../../types/type.js';
import type { BoundCall } from '../bound/bound.js';
import { describePart } from '../bound/comparable.js';
import {
  call,
  castTo,
  choose,
  type DuckExpression,
  duckNull,
  infix,
  isNull,
  macro,
  text,
} from '../duckdb-sql/duckdb-sql.js';
import { isHeavy, letOnce } from '../duckdb-sql/let.js';
import { mapList, storedFields } from '../duckdb-sql/plain.js';
import type { Emitter } from './definition.js';
import { mayBeNan } from './nan.js';

/** One side of a comparison: its value, and what is known of it. */
interface Side {
  readonly value: DuckExpression;
  readonly type: Type;
  /** Whether it may be NaN, which DuckDB has equal to itself and above all others. */
  readonly mayBeNan: boolean;
}

type Operator = '<' | '<=' | '>' | '>=';

/** Comparisons stay bare up to this size, since joins and filters read them. */
const readable = 60;

const names = { '<': 'Less than', '<=': 'Less than', '>': 'Greater than', '>=': 'Greater than' };

/** `a = b`, or `a <> b`: structs field by field, NaN equal to nothing. */
export function equality(operator: '=' | '<>'): Emitter {
  return (args, node) => {
    refuse('Equality', ['ARRAY', 'JSON'], node);
    const sides = sidesOf(args, node);
    const isPlain = operator === '<>' && !needsCare(sides);
    if (isPlain) return infix('<>', ...args);
    const equal = compareSides(sides, equal2);
    return operator === '=' ? equal : { kind: 'prefix', operator: 'NOT', operand: equal };
  };
}

/** `a IS DISTINCT FROM b`, or its opposite: two NaNs, and two NULLs, are not distinct. */
export function distinctness(operator: 'IS DISTINCT FROM' | 'IS NOT DISTINCT FROM'): Emitter {
  return (args, node) => {
    refuse(operator, ['JSON'], node);
    return infix(operator, ...args);
  };
}

/** `a < b` and its like. */
export function inequality(operator: Operator): Emitter {
  return (args, node) => {
    refuse(names[operator], ['ARRAY', 'JSON', 'STRUCT'], node);
    return compareSides(sidesOf(args, node), (a, b) => ordered(operator, a, b));
  };
}

/** `a BETWEEN low AND high`: a column stays bare, so that what is out of bounds can be skipped. */
export function betweenBounds(...[args, node]: Parameters<Emitter>): DuckExpression {
  refuse('BETWEEN', ['ARRAY', 'JSON', 'STRUCT'], node);
  const [value, , high] = sidesOf(args, node);
  const repeats = high?.mayBeNan || (value !== undefined && isHeavy(value.value));
  return repeats ? letOnce(args, (given) => within(given, node)) : within(args, node);
}

function within(...[args, node]: readonly [readonly DuckExpression[], BoundCall]): DuckExpression {
  const [value, low, high] = sidesOf(args, node);
  if (value === undefined || low === undefined || high === undefined) return duckNull;
  // A NaN is above every bound that is none.
  const upper = ordered('<=', value, high);
  const lower = ordered('>=', { ...value, mayBeNan: value.mayBeNan && high.mayBeNan }, low);
  return infix('AND', lower, upper);
}

/** `a IN (b, …)`: as `a = b OR …` where the engine's own equality is not BigQuery's. */
export function membership(...[args, node]: Parameters<Emitter>): DuckExpression {
  refuse('IN', ['ARRAY', 'JSON'], node);
  const [operand = duckNull, ...values] = args;
  const [side, ...others] = sidesOf(args, node);
  const care = side !== undefined && others.some((other) => needsCare([side, other]));
  if (!care) return { kind: 'in', operand, values };
  const tests = others.map((other) => compareSides([side, other], equal2));
  const [only] = tests;
  return only !== undefined && tests.length === 1 ? only : infix('OR', ...tests);
}

/** `a IN UNNEST(array)`: element by element where the engine's own equality is not BigQuery's. */
export function arrayMembership(...[args, node]: Parameters<Emitter>): DuckExpression {
  refuse('IN', ['ARRAY', 'JSON'], { ...node, args: node.args.slice(0, 1) });
  const [side] = sidesOf(args, node);
  const [, array] = node.args;
  if (side === undefined || array?.type.kind !== 'ARRAY') return duckNull;
  const { element } = array.type;
  const nan = array.kind === 'array' ? array.elements.some(mayBeNan) : element.kind === 'FLOAT64';
  const other = { type: element, mayBeNan: nan };
  if (!needsCare([side, { ...side, ...other }])) return macroOnce('in_unnest', args);
  return letOnce(args, ([value = duckNull, list = duckNull]) => {
    const tests = mapList(list, (one) => equal2({ ...side, value }, { ...other, value: one }));
    return macroOnce('some_true', [tests]);
  });
}

function macroOnce(name: string, args: readonly DuckExpression[]): DuckExpression {
  return letOnce(args, (given) => macro(name, ...given));
}

/** NULL where both are equal, else the first. */
export function nullIf(...[args, node]: Parameters<Emitter>): DuckExpression {
  refuse('Equality', ['ARRAY', 'JSON'], node);
  const sides = sidesOf(args, node);
  if (!needsCare(sides)) return call('nullif', ...args);
  return compareSides(sides, (a, b) => choose(equal2(a, b), duckNull, a.value));
}

function sidesOf(args: readonly DuckExpression[], { args: given }: BoundCall): readonly Side[] {
  return given.map((expression, i) => ({
    value: args[i] ?? duckNull,
    type: expression.type,
    mayBeNan: mayBeNan(expression),
  }));
}

function refuse(what: string, kinds: readonly Type['kind'][], { args, at }: BoundCall): void {
  const bad = args.find(({ type }) => describePart(type, kinds) !== undefined);
  if (bad === undefined) return;
  throw new QueryFault(`${what} is not defined for arguments of type ${typeName(bad.type)}`, at);
}

function needsCare(sides: readonly Side[]): boolean {
  return sides.some(({ type }) => type.kind === 'STRUCT') || sides.every((side) => side.mayBeNan);
}

function compareSides(
  [a, b]: readonly Side[],
  write: (a: Side, b: Side) => DuckExpression,
): DuckExpression {
  if (a === undefined || b === undefined) return duckNull;
  if (!needsCare([a, b])) return write(a, b);
  return letOnce(
    [a.value, b.value],
    ([left = duckNull, right = duckNull]) => write({ ...a, value: left }, { ...b, value: right }),
    readable,
  );
}

function equal2(a: Side, b: Side): DuckExpression {
  if (a.type.kind === 'STRUCT' && b.type.kind === 'STRUCT') {
    const fields = fieldsOf(a, a.type);
    const others = fieldsOf(b, b.type);
    const tests = fields.map((field, i) => equal2(field, others[i] ?? field));
    const [only] = tests;
    return only !== undefined && tests.length === 1 ? only : infix('AND', ...tests);
  }
  const equal = infix('=', a.value, b.value);
  return a.mayBeNan && b.mayBeNan ? infix('AND', equal, isNumber(a, b)) : equal;
}

function ordered(operator: Operator, a: Side, b: Side): DuckExpression {
  const test = infix(operator, a.value, b.value);
  const [greater, other] = operator.startsWith('<') ? [b, a] : [a, b];
  return greater.mayBeNan ? infix('AND', test, isNumber(greater, other)) : test;
}

/** NULL beside a NULL stays NULL. */
function isNumber(side: Side, other: Side): DuckExpression {
  const number = infix('<=', side.value, castTo(text('Infinity'), 'DOUBLE'));
  return other.mayBeNan ? infix('OR', number, isNull(other.value)) : number;
}

function fieldsOf({ value }: Side, type: StructType): readonly Side[] {
  return storedFields(value, type).map(([field, of], i) => ({
    value: value.kind === 'struct' ? (value.fields[i]?.value ?? of) : of,
    type: field.type,
    mayBeNan: field.type.kind === 'FLOAT64',
  }));
}
