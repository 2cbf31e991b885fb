import { isOpen, isOpenNumber, type ScalarName, scalar, type Type } from '../../types/types.js';
import type * as bound from '../bound/bound.js';

/** Reads the number in an open string; returns other values unchanged. */
export function asNumber(of: bound.Expression): bound.Expression {
  return isOpen(of.type) ? { kind: 'cast', of, type: openNumber, safe: true } : of;
}

/** The type of a number that was read from an open string: functions that take only integers read it as INT64. */
const openNumber = { kind: 'FLOAT64', isOpen: true } as const;

/** Whether values of a type are open strings, or numbers that were read from one, so that they may be numbers of any type. */
export function isAnyNumber(type: Type): boolean {
  return isOpen(type) || isOpenNumber(type);
}

/** Returns a function that reads an open string, or a number read from one, as a type; it returns other values unchanged. */
export function numberReader(kind: ScalarName) {
  return (of: bound.Expression) => (isAnyNumber(of.type) ? safeCast(of, kind) : of);
}

/** Reads the integer in an open string, or in a number that was read from one; returns other values unchanged. */
export const asInteger = numberReader('INT64');

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
