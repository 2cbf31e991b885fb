import type { Type } from '../../types/type.js';
import { type BoundExpression, isLogField } from '../bound/bound.js';
import { isGiven } from '../bound/coerce.js';
import { readLiteral } from '../bound/literal.js';

/**
 * Rule 7 of the dialect: beside a field of a log source a given value takes the field's type,
 * since logs disagree whether a status is a number.
 */
export function matched(
  values: readonly BoundExpression[],
  at: number,
): readonly BoundExpression[] {
  const field = values.find(isLogField);
  if (field === undefined) return values;
  return values.map((value) => (isGiven(value) ? likeField(value, field.type, at) : value));
}

function likeField(value: BoundExpression, type: Type, at: number): BoundExpression {
  const from = value.type.kind;
  const differ = (from === 'STRING') !== (type.kind === 'STRING');
  if (!differ || ['ARRAY', 'STRUCT', 'BYTES'].includes(type.kind)) return value;
  if (value.kind === 'literal') return readLiteral(value, type, at);
  return { kind: 'cast', of: value, type, safe: false };
}
