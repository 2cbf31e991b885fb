import { isOpen, isOpenNumber, type ScalarName, scalar, type Type } from '../../types/types.js';
import type * as bound from '../bound/bound.js';

/** The number in an open string; other values unchanged. */
export function asNumber(of: bound.Expression): bound.Expression {
  return isOpen(of.type) ? { kind: 'cast', of, type: openNumber, safe: true } : of;
}

/** A number that was read from an open string: where only an integer is taken, it can be one. */
const openNumber = { kind: 'FLOAT64', isOpen: true } as const;

/** The integer in an open string, or in a number that was read from one; other values unchanged. */
export function asInteger(of: bound.Expression): bound.Expression {
  return isOpen(of.type) || isOpenNumber(of.type) ? safeCast(of, 'INT64') : of;
}

/** The BOOL in an open string; other values unchanged. */
export function asBool(of: bound.Expression): bound.Expression {
  return isOpen(of.type) ? safeCast(of, 'BOOL') : of;
}

/** A value as a scalar of a type; NULL if it holds none. */
export function safeCast(of: bound.Expression, kind: ScalarName): bound.Expression {
  return { kind: 'cast', of, type: scalar(kind), safe: true };
}

/** The type of a result of these values: a FLOAT64 stays one that was read from an open string. */
export function withOpenness(type: Type, values: readonly bound.Expression[]): Type {
  if (type.kind !== 'FLOAT64') return type;
  return values.some((value) => isOpenNumber(value.type)) ? openNumber : type;
}
