import { QueryFault } from '../../errors/query-fault.js';
import { forRanges, rangeNames } from '../../types/ranges.js';
import * as types from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { isNullLiteral, isUntypedArray, plain } from '../bound/coerce.js';
import { boundLiteral, parseDecimal } from '../bound/literal.js';
import { findFunction } from '../functions/functions.js';
import { asArray, callByName } from '../functions/match-call.js';
import { asBool, asInteger, asNumber, safeCast } from '../functions/read-open.js';
import type { TypeName } from '../syntax/names.js';
import type { ExpressionOf } from '../syntax/tree.js';
import { typeLimits } from './type-parameters.js';

/**
 * The types that each type can be cast to, besides itself.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/conversion_rules
 */
const casts: Readonly<Record<types.ScalarName, readonly types.Type['kind'][]>> = {
  INT64: ['BOOL', 'NUMERIC', 'BIGNUMERIC', 'FLOAT64', 'STRING'],
  NUMERIC: ['INT64', 'BIGNUMERIC', 'FLOAT64', 'STRING'],
  BIGNUMERIC: ['INT64', 'NUMERIC', 'FLOAT64', 'STRING'],
  FLOAT64: ['INT64', 'NUMERIC', 'BIGNUMERIC', 'STRING'],
  BOOL: ['INT64', 'STRING'],
  STRING: [
    ...(['BOOL', 'INT64', 'NUMERIC', 'BIGNUMERIC', 'FLOAT64', 'BYTES'] as const),
    ...(['DATE', 'DATETIME', 'TIME', 'TIMESTAMP', 'INTERVAL'] as const),
    ...rangeNames,
  ],
  BYTES: ['STRING'],
  DATE: ['STRING', 'DATETIME', 'TIMESTAMP'],
  DATETIME: ['STRING', 'DATE', 'TIME', 'TIMESTAMP'],
  TIME: ['STRING'],
  TIMESTAMP: ['STRING', 'DATE', 'DATETIME', 'TIME'],
  INTERVAL: ['STRING'],
  JSON: [],
  ...forRanges(() => ['STRING'] as const),
};

/** The resolved expressions after the type of a cast. */
interface CastClauses {
  readonly format?: bound.Expression | undefined;
  readonly zone?: bound.Expression | undefined;
}

/**
 * Resolves `cast(value as type)`.
 * @throws QueryFault `Invalid cast from BOOL to DATE`
 */
export function resolveCast(
  node: ExpressionOf<'cast'>,
  operand: bound.Expression,
  { format, zone }: CastClauses,
): bound.Expression {
  const type = resolveType(node.type);
  const of = readFor(plain(operand), type, format, node.at);
  const limits = typeLimits(node.type);
  if (format !== undefined && !isNullLiteral(of)) {
    const args = [of, format, ...(zone ? [zone] : [])];
    return limited(resolveFormatCast(node, args, type), limits, node.safe);
  }
  if (isNullLiteral(of)) return { kind: 'cast', of, type, safe: false };
  if (isUntypedArray(of) && type.kind === 'ARRAY') return { kind: 'array', elements: [], type };
  if (!isCastable(of.type, type)) {
    const message = `Invalid cast from ${types.typeName(of.type)} to ${types.typeName(type)}`;
    throw new QueryFault(message, node.at);
  }
  const decimal = decimalLiteral(of, type);
  if (decimal !== undefined) return limited(decimal, limits, node.safe);
  return { kind: 'cast', of, type, safe: node.safe, ...(limits && { limits }) };
}

/** Reads an open string, or a number that was read from one, as a value that the cast supports. */
function readFor(
  of: bound.Expression,
  type: types.Type,
  format: bound.Expression | undefined,
  at: number,
): bound.Expression {
  if (format !== undefined) return type.kind === 'STRING' ? asNumber(of) : of;
  if (types.isOpenNumber(of.type)) return isCastable(of.type, type) ? of : asInteger(of);
  if (!types.isOpen(of.type)) return of;
  if (type.kind === 'ARRAY') return asArray(of, at);
  const others = readings[type.kind]?.(of) ?? [];
  if (others.length === 0) return of;
  // Each reading becomes a string that can be cast back.
  const string = types.scalar('STRING');
  const texts = others.map(
    (each) => ({ kind: 'cast', of: each, type: string, safe: false }) as const,
  );
  return { ...callByName('coalesce', [...texts, of], at), type: of.type };
}

/** The readings of an open string to try before its string is cast to a type. */
const readings: Partial<
  Record<types.Type['kind'], (of: bound.Expression) => readonly bound.Expression[]>
> = {
  INT64: (of) => [asInteger(of), safeCast(asNumber(of), 'INT64'), safeCast(asBool(of), 'INT64')],
  BOOL: (of) => [asBool(of), safeCast(asInteger(of), 'BOOL')],
};

function limited(
  of: bound.Expression,
  limits: bound.TypeLimits | undefined,
  safe: boolean,
): bound.Expression {
  return limits === undefined ? of : { kind: 'cast', of, type: of.type, safe, limits };
}

/** Reads a FLOAT64 literal that is cast to a decimal, with all its digits; undefined for any other cast. */
function decimalLiteral(of: bound.Expression, { kind }: types.Type): bound.Expression | undefined {
  if (of.kind !== 'literal' || of.value === null || of.type.kind !== 'FLOAT64') return undefined;
  if (kind !== 'NUMERIC' && kind !== 'BIGNUMERIC') return undefined;
  const digits = parseDecimal(kind, of.value, of.type.kind);
  return digits === undefined ? undefined : boundLiteral(kind, digits);
}

function isCastable(from: types.Type, to: types.Type): boolean {
  if (from.kind === 'ARRAY') return to.kind === 'ARRAY' && isCastable(from.element, to.element);
  if (from.kind !== 'STRUCT') {
    return types.sameType(from, to) || casts[from.kind].includes(to.kind);
  }
  if (to.kind !== 'STRUCT' || from.fields.length !== to.fields.length) return false;
  return from.fields.every((field, i) => isCastable(field.type, to.fields[i]?.type ?? field.type));
}

/** `cast(value as type format 'HEX')` becomes a call of a function whose name contains both types. */
function resolveFormatCast(
  node: ExpressionOf<'cast'>,
  args: readonly bound.Expression[],
  type: types.Type,
): bound.Expression {
  const { at, safe } = node;
  const [of, format] = args;
  const from = of?.type.kind;
  const name = `$CAST ${from} AS ${type.kind} FORMAT`;
  if (of === undefined || findFunction(name) === undefined) {
    throw new QueryFault(`FORMAT is not supported for a cast from ${from} to ${type.kind}`, at);
  }
  if (format !== undefined && isNullLiteral(format)) {
    return { kind: 'cast', of: format, type, safe: false };
  }
  if (format?.type.kind !== 'STRING') {
    throw new QueryFault('The format of a cast must be a STRING', node.format?.at ?? at);
  }
  return { ...callByName(name, args, at), safe };
}

/** The type for a type name in a query. */
export function resolveType(node: TypeName): types.Type {
  if (node.element !== undefined) return types.arrayType(resolveType(node.element));
  if (types.isScalarName(node.name)) return types.scalar(node.name);
  const fields = node.fields ?? [];
  return types.structType(
    fields.map(({ name, type }) => ({ name: name?.name ?? '', type: resolveType(type) })),
  );
}
