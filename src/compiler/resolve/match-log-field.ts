import type { Type } from '../../types/types.js';
import { type BoundExpression, isLogField } from '../bound/bound.js';
import { isLiteralOrParameter } from '../bound/coerce.js';
import { convertLiteral } from '../bound/literal.js';

/**
 * Converts literals and parameters that are compared with a field of a log source to the field's
 * type: a status is a number in some logs and a string in others.
 */
export function matchLogField(
  values: readonly BoundExpression[],
  at: number,
): readonly BoundExpression[] {
  const field = values.find(isLogField);
  if (field === undefined) return values;
  return values.map((value) =>
    isLiteralOrParameter(value) ? castTo(value, field.type, at) : value,
  );
}

function castTo(value: BoundExpression, type: Type, at: number): BoundExpression {
  const from = value.type.kind;
  const differ = (from === 'STRING') !== (type.kind === 'STRING');
  if (!differ || hasNoText(from) || hasNoText(type.kind)) return value;
  if (value.kind === 'literal') return convertLiteral(value, type, at);
  return { kind: 'cast', of: value, type, safe: false };
}

/** Whether values of a type are never meant by their text. */
function hasNoText(kind: Type['kind']): boolean {
  return ['ARRAY', 'STRUCT', 'BYTES'].includes(kind);
}
