import { QueryFault } from '../../errors/query-fault.js';
import {
  arrayType,
  holdsArray,
  isNumeric,
  isPlain,
  isScalarName,
  mergeStored,
  plainType,
  type StructType,
  sameStored,
  sameType,
  scalar,
  type Type,
  typeName,
} from '../../types/types.js';
import * as bound from './bound.js';
import { convertLiteral } from './literal.js';

/**
 * The implicit conversions from each type, with their costs.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/conversion_rules
 */
const coercions: Partial<Record<Type['kind'], Partial<Record<Type['kind'], number>>>> = {
  INT64: { NUMERIC: 1, BIGNUMERIC: 2, FLOAT64: 3 },
  NUMERIC: { BIGNUMERIC: 1, FLOAT64: 2 },
  BIGNUMERIC: { FLOAT64: 1 },
  DATE: { DATETIME: 1 },
};

/** The types that a STRING literal or parameter is implicitly converted to. */
const fromText: ReadonlySet<string> = new Set(['DATE', 'DATETIME', 'TIME', 'TIMESTAMP']);

/**
 * The cost of implicitly converting an expression to a type: 0 if it has the type, undefined if there
 * is no implicit conversion.
 */
export function coercionCost(expression: bound.Expression, to: Type): number | undefined {
  return hasScalarType(expression, to) ? 0 : conversionCost(expression, to);
}

function conversionCost(expression: bound.Expression, to: Type): number | undefined {
  const from = isPlain(expression.type) ? expression.type : plainType(expression.type);
  if (isNullLiteral(expression) || isError(expression)) return 1;
  if (sameType(from, to)) return 0;
  if (from.kind === 'STRUCT' && to.kind === 'STRUCT') return structCost(expression, to);
  if (expression.kind === 'array' && to.kind === 'ARRAY') {
    if (expression.elements.length === 0 && !isUntypedArray(expression)) return undefined;
    return totalCost(expression.elements, () => to.element, 1);
  }
  if (isLiteralOrParameter(expression) && from.kind === 'STRING' && fromText.has(to.kind)) return 2;
  if (expression.kind === 'literal' && isNumeric(to)) return literalCost(from, to);
  return typeCost(from, to);
}

/** Whether an expression already has this scalar type; false for NULL and `error(…)`, which can have any type. */
function hasScalarType(expression: bound.Expression, { kind }: Type): boolean {
  if (kind !== expression.type.kind || kind === 'ARRAY' || kind === 'STRUCT') return false;
  return !isNullLiteral(expression) && !isError(expression);
}

/** A numeric literal can have any numeric type that fits it. */
function literalCost(from: Type, to: Type): number | undefined {
  if (from.kind === 'INT64') return 1;
  return from.kind === 'FLOAT64' && to.kind !== 'INT64' ? floatCost : typeCost(from, to);
}

/**
 * The extra cost of converting a value that is not a literal. It exceeds the cost of converting all literals,
 * so that `column + 1.5` is a NUMERIC for a NUMERIC column, and a FLOAT64 for an INT64 column.
 */
const valueCost = 1_000_000;

/** The cost of converting a FLOAT64 literal to NUMERIC: high, so that it happens only to avoid converting a column. */
const floatCost = 100;

function typeCost(from: Type, to: Type): number | undefined {
  const cost = coercions[from.kind]?.[to.kind];
  return cost === undefined ? undefined : cost + valueCost;
}

/**
 * Implicitly converts an expression to a type.
 * @throws QueryFault if there is no implicit conversion
 */
export function coerce(expression: bound.Expression, to: Type, at: number): bound.Expression {
  if (hasScalarType(expression, to)) return expression;
  if (coercionCost(expression, to) === undefined) {
    throw new QueryFault(`Expected type ${typeName(to)}; found ${typeName(expression.type)}`, at);
  }
  if (isError(expression)) return { ...expression, type: plainType(to) };
  if (isNullLiteral(expression)) return { kind: 'literal', value: null, type: plainType(to) };
  const value = plain(expression);
  const isSame = sameType(value.type, to) && typeName(value.type) === typeName(to);
  if (isSame && sameStored(value.type, to)) return value;
  if (value.kind === 'struct' && to.kind === 'STRUCT') {
    const values = value.values.map((part, i) => coerce(part, to.fields[i]?.type ?? part.type, at));
    return { ...value, values, type: to };
  }
  if (value.kind === 'array' && to.kind === 'ARRAY') {
    const elements = value.elements.map((element) => coerce(element, to.element, at));
    return { kind: 'array', elements, type: to };
  }
  if (value.kind === 'literal') return convertLiteral(value, to, at);
  return { kind: 'cast', of: value, type: to, safe: false };
}

/** Converts a value from its stored layout, if it has one, to the layout of computed values. */
export function plain(expression: bound.Expression): bound.Expression {
  if (expression.kind === 'struct') return plainParts(expression);
  const isOfLog = bound.isLogField(expression);
  // In stored values, NULL is an empty array.
  if (isPlain(expression.type) && !(isOfLog && holdsArray(expression.type))) return expression;
  const owner = expression.type.kind === 'ARRAY' && isOfLog ? arrayOwner(expression) : undefined;
  const type = plainType(expression.type);
  return { kind: 'plain', of: expression, ...(owner && { owner }), type };
}

/** Leaves the records of an array in their stored layout; takes the result of {@link plain}. */
export function keepElements(array: bound.Expression): bound.Expression {
  const { type } = array.kind === 'plain' ? array.of : array;
  if (array.kind !== 'plain' || type.kind !== 'ARRAY' || isPlain(type)) return array;
  return { ...array, keepsElements: true, type: arrayType(type.element) };
}

/** Converts the values of a record that a query makes, or of the row of a table. */
function plainParts(record: bound.ExpressionOf<'struct'>): bound.Expression {
  const values = record.values.map(plain);
  const isPlainAlready = values.every((value, at) => value === record.values[at]);
  return isPlainAlready ? record : bound.withValues(record, values);
}

/**
 * Returns the value that is NULL exactly when a repeated field of a log is: its record, or another column of
 * the row if an outer join may have filled it with NULLs. Undefined if the field is never NULL.
 */
export function arrayOwner(array: bound.Expression): bound.Expression | undefined {
  if (array.kind === 'column') {
    const { nullWith } = array.column;
    return nullWith && bound.columnValue(nullWith);
  }
  if (array.kind !== 'field') return undefined;
  const { of } = array;
  return of.kind === 'column' && of.column.nullWith === undefined ? undefined : of;
}

/** Whether an expression is `[]`, which can have any array type. */
export function isUntypedArray(expression: bound.Expression): boolean {
  return expression.kind === 'array' && expression.isUntyped === true;
}

/**
 * The type that all expressions can be converted to at the lowest cost; undefined if there is none.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/conversion_rules#supertypes
 */
export function supertype(expressions: readonly bound.Expression[]): Type | undefined {
  const type = expressions[0]?.type;
  if (type && expressions.every((expression) => hasScalarType(expression, type))) return type;
  return cheapestSupertype(expressions);
}

function cheapestSupertype(expressions: readonly bound.Expression[]): Type | undefined {
  const typed = expressions.filter(
    (expression) => !isNullLiteral(expression) && !isError(expression),
  );
  const candidates = typed.flatMap(({ type }) => [
    plainType(type),
    ...Object.keys(coercions[type.kind] ?? {})
      .filter(isScalarName)
      .map(scalar),
  ]);
  const struct = structSupertype(typed);
  const all = struct === undefined ? candidates : [struct];
  const rated = [...new Map(all.map((type) => [typeName(type), type])).values()]
    .map((type) => ({ type, cost: totalCost(expressions, () => type) }))
    .filter(({ cost }) => cost !== undefined)
    .sort((a, b) => (a.cost ?? 0) - (b.cost ?? 0));
  // The type of a typed NULL, as in `struct<a date>(null)`, takes precedence over other NULLs.
  const nulls = typed.length > 0 ? [] : expressions;
  const ofNulls = nulls.find(({ type }) => type.kind !== 'INT64') ?? nulls[0];
  const best = rated[0]?.type ?? ofNulls?.type;
  if (best === undefined) return undefined;
  return typed.map((each) => plainType(each.type)).reduce(mergeStored, plainType(best));
}

/** The fields of a struct as expressions: a constructor's values, or placeholders with the fields' types. */
function structFields(expression: bound.Expression): readonly bound.Expression[] {
  if (expression.kind === 'struct') return expression.values;
  const { type } = expression;
  if (type.kind !== 'STRUCT') return [];
  return type.fields.map((field) => ({ kind: 'plain', of: expression, type: field.type }));
}

function structCost(expression: bound.Expression, to: StructType): number | undefined {
  const parts = structFields(expression);
  if (parts.length !== to.fields.length) return undefined;
  return totalCost(parts, (i) => to.fields[i]?.type, 1);
}

/** The supertype of structs, field by field, with the names of the first; undefined for other types. */
function structSupertype(expressions: readonly bound.Expression[]): StructType | undefined {
  const [first] = expressions;
  if (first?.type.kind !== 'STRUCT' || expressions.length < 2) return undefined;
  const rows = expressions.map(structFields);
  if (rows.some((parts) => parts.length !== rows[0]?.length)) return undefined;
  const fields = first.type.fields.flatMap((field, i) => {
    const type = supertype(rows.flatMap((parts) => parts[i] ?? []));
    return type === undefined ? [] : [{ ...field, type }];
  });
  return fields.length === first.type.fields.length ? { kind: 'STRUCT', fields } : undefined;
}

/** The cost of converting all expressions, on top of another cost. */
function totalCost(
  expressions: readonly bound.Expression[],
  typeAt: (index: number) => Type | undefined,
  ownCost = 0,
): number | undefined {
  let total = ownCost;
  for (const [index, expression] of expressions.entries()) {
    const cost = coercionCost(expression, typeAt(index) ?? expression.type);
    if (cost === undefined) return undefined;
    total += cost;
  }
  return total;
}

/** Whether an expression is `error('…')`, which can have any type because it returns no value. */
function isError(expression: bound.Expression): expression is bound.Call {
  return expression.kind === 'call' && expression.function.name === 'error';
}

/** Whether an expression is the literal NULL, which can have any type. */
export function isNullLiteral(expression: bound.Expression): boolean {
  return expression.kind === 'literal' && expression.value === null;
}

/** Whether an expression is a literal or a parameter, which have more implicit conversions than other values. */
export function isLiteralOrParameter(expression: bound.Expression): boolean {
  return expression.kind === 'literal' || expression.kind === 'parameter';
}
