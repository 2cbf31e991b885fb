import { QueryFault } from '../../errors/query-fault.js';
import {
  isNumeric,
  isPlain,
  plainType,
  type ScalarName,
  type StructType,
  sameType,
  scalar,
  structOf,
  type Type,
  typeName,
} from '../../types/type.js';
import { type BoundCall, type BoundExpression, isLogField } from './bound.js';
import { readLiteral } from './literal.js';

/**
 * The types that another becomes by itself, the nearest first.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/conversion_rules
 */
const coercions: Partial<Record<ScalarName, Partial<Record<ScalarName, number>>>> = {
  INT64: { NUMERIC: 1, BIGNUMERIC: 2, FLOAT64: 3 },
  NUMERIC: { BIGNUMERIC: 1, FLOAT64: 2 },
  BIGNUMERIC: { FLOAT64: 1 },
  DATE: { DATETIME: 1 },
};

/** Types that a literal or a parameter of STRING becomes by itself. */
const fromText: ReadonlySet<string> = new Set(['DATE', 'DATETIME', 'TIME', 'TIMESTAMP']);

/**
 * How far an expression is from a type, 0 for the same one; undefined where it cannot become it.
 */
export function distance(expression: BoundExpression, to: Type): number | undefined {
  const from = isPlain(expression.type) ? expression.type : plainType(expression.type);
  if (isNullLiteral(expression) || isError(expression)) return 1;
  if (sameType(from, to)) return 0;
  if (from.kind === 'STRUCT' && to.kind === 'STRUCT') return structDistance(expression, to);
  if (expression.kind === 'array' && to.kind === 'ARRAY') {
    return partsDistance(expression.elements, () => to.element);
  }
  if (isGiven(expression) && from.kind === 'STRING' && fromText.has(to.kind)) return 2;
  if (expression.kind === 'literal' && isNumeric(to)) return literalDistance(from, to);
  return typeDistance(from, to);
}

/** A number in the text may be of any type that it fits. */
function literalDistance(from: Type, to: Type): number | undefined {
  if (from.kind === 'INT64') return 1;
  return from.kind === 'FLOAT64' && to.kind !== 'INT64' ? floatStep : typeDistance(from, to);
}

/**
 * What it costs to change a value rather than a literal: more than all the literals beside it, so
 * that `column + 1.5` is a FLOAT64 where the column is INT64, and a NUMERIC where it is that.
 */
const valueStep = 1_000_000;

/** A FLOAT64 in the text becomes a NUMERIC rather than that a column changes, but for nothing else. */
const floatStep = 100;

function typeDistance(from: Type, to: Type): number | undefined {
  const step = coercions[from.kind as ScalarName]?.[to.kind as ScalarName];
  return step === undefined ? undefined : step + valueStep;
}

/**
 * The expression as a value of a type.
 * @throws QueryFault where it cannot become one by itself
 */
export function coerce(expression: BoundExpression, to: Type, at: number): BoundExpression {
  if (distance(expression, to) === undefined) {
    throw new QueryFault(`Expected type ${typeName(to)}; found ${typeName(expression.type)}`, at);
  }
  if (isError(expression)) return { ...expression, type: plainType(to) };
  if (isNullLiteral(expression)) return { kind: 'literal', value: null, type: plainType(to) };
  const value = plain(expression);
  if (sameType(value.type, to) && typeName(value.type) === typeName(to)) return value;
  if (value.kind === 'struct' && to.kind === 'STRUCT') return coerceStruct(value, to, at);
  if (value.kind === 'array' && to.kind === 'ARRAY') {
    const elements = value.elements.map((element) => coerce(element, to.element, at));
    return { ...value, elements, type: to };
  }
  if (value.kind === 'literal') return readLiteral(value, to, at);
  return { kind: 'cast', of: value, type: to, safe: false };
}

/** The value as the engine holds any other of its type: lists for arrays, only stored fields. */
export function plain(expression: BoundExpression): BoundExpression {
  const isLogArray = expression.type.kind === 'ARRAY' && isLogField(expression);
  if (isPlain(expression.type) && !isLogArray) return expression;
  return { kind: 'plain', of: expression, type: plainType(expression.type) };
}

/**
 * The type that all of the expressions can become, the nearest first; undefined where there is none.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/conversion_rules#supertypes
 */
export function supertype(expressions: readonly BoundExpression[]): Type | undefined {
  const typed = expressions.filter(
    (expression) => !isNullLiteral(expression) && !isError(expression),
  );
  const candidates = typed.flatMap(({ type }) => [
    plainType(type),
    ...(Object.keys(coercions[type.kind as ScalarName] ?? {}) as ScalarName[]).map(scalar),
  ]);
  const struct = structType(typed);
  const all = [...candidates, ...(struct === undefined ? [] : [struct])];
  const rated = [...new Map(all.map((type) => [typeName(type), type])).values()]
    .map((type) => ({ type, cost: totalDistance(expressions, type) }))
    .filter(({ cost }) => cost !== undefined)
    .sort((a, b) => (a.cost ?? 0) - (b.cost ?? 0));
  const best = rated[0]?.type ?? (typed.length === 0 ? expressions[0]?.type : undefined);
  return best && plainType(best);
}

/** The parts of a struct as expressions: those it is made of, or stand-ins of their types. */
function partsOf(expression: BoundExpression): readonly BoundExpression[] {
  if (expression.kind === 'struct') return expression.values;
  const { type } = expression;
  if (type.kind !== 'STRUCT') return [];
  return type.fields.map((field) => ({ kind: 'plain', of: expression, type: field.type }));
}

function structDistance(expression: BoundExpression, to: StructType): number | undefined {
  const parts = partsOf(expression);
  if (parts.length !== to.fields.length) return undefined;
  return partsDistance(parts, (i) => to.fields[i]?.type);
}

/** How far all parts are from their types: 1 without any. */
function partsDistance(
  parts: readonly BoundExpression[],
  typeAt: (place: number) => Type | undefined,
): number | undefined {
  const steps = parts.map((part, i) => distance(part, typeAt(i) ?? part.type));
  return steps.reduce(
    (sum: number | undefined, step) =>
      sum === undefined || step === undefined ? undefined : sum + step,
    1,
  );
}

function coerceStruct(
  value: Extract<BoundExpression, { kind: 'struct' }>,
  to: StructType,
  at: number,
): BoundExpression {
  const values = value.values.map((part, i) => coerce(part, to.fields[i]?.type ?? part.type, at));
  return { ...value, values, type: to };
}

/** The struct type that all can become, field by field and named as the first; undefined for others. */
function structType(expressions: readonly BoundExpression[]): StructType | undefined {
  const [first] = expressions;
  if (first?.type.kind !== 'STRUCT' || expressions.length < 2) return undefined;
  const rows = expressions.map(partsOf);
  if (rows.some((parts) => parts.length !== rows[0]?.length)) return undefined;
  const types = first.type.fields.map((_, i) => supertype(rows.flatMap((parts) => parts[i] ?? [])));
  const fields = first.type.fields.flatMap(({ name }, i) => {
    const type = types[i];
    return type === undefined ? [] : [{ name, type }];
  });
  return fields.length === types.length ? structOf(fields) : undefined;
}

function totalDistance(expressions: readonly BoundExpression[], type: Type): number | undefined {
  let total = 0;
  for (const expression of expressions) {
    const step = distance(expression, type);
    if (step === undefined) return undefined;
    total += step;
  }
  return total;
}

/** `error('…')`, which has the type of the place where it stands. */
function isError(expression: BoundExpression): expression is BoundCall {
  return expression.kind === 'call' && expression.function.name === 'error';
}

/** A NULL that has no type of its own. */
export function isNullLiteral(expression: BoundExpression): boolean {
  return expression.kind === 'literal' && expression.value === null;
}

/** Whether a value stands in the text or was given with the request. */
export function isGiven(expression: BoundExpression): boolean {
  return expression.kind === 'literal' || expression.kind === 'parameter';
}
