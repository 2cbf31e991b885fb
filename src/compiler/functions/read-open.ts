import { isOpen, isOpenNumber, type ScalarName, scalar, type Type } from '../../types/types.js';
import type * as bound from '../bound/bound.js';

/** Reads the number in an open string; returns other values unchanged. */
export function asNumber(of: bound.Expression): bound.Expression {
  return isOpen(of.type) ? { kind: 'cast', of, type: openNumber, safe: true } : of;
}

/** The type of a number that was read from an open string: functions that take only integers read it as INT64. */
const openNumber = { kind: 'FLOAT64', isOpen: true } as const;

/** Reads the integer in an open string, or in a number that was read from one; returns other values unchanged. */
export function asInteger(of: bound.Expression): bound.Expression {
  return isOpen(of.type) || isOpenNumber(of.type) ? safeCast(of, 'INT64') : of;
}

/** Reads the BOOL in an open string; returns other values unchanged. */
export function asBool(of: bound.Expression): bound.Expression {
  return isOpen(of.type) ? safeCast(of, 'BOOL') : of;
}

/** Casts a value to a scalar type; NULL if it cannot be cast. */
export function safeCast(of: bound.Expression, kind: ScalarName): bound.Expression {
  return { kind: 'cast', of, type: scalar(kind), safe: true };
}

/** The type of a result of these values: a FLOAT64 is open if a value was read from an open string. */
export function withOpenness(type: Type, values: readonly bound.Expression[]): Type {
  if (type.kind !== 'FLOAT64') return type;
  return values.some((value) => isOpenNumber(value.type)) ? openNumber : type;
}
