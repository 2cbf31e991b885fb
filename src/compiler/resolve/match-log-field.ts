import { isNumeric, isOpen, type Type } from '../../types/types.js';
import { type BoundExpression, isLogField } from '../bound/bound.js';
import { isLiteralOrParameter } from '../bound/coerce.js';
import { convertLiteral } from '../bound/literal.js';
import { asNumber } from '../functions/match-call.js';

/**
 * Converts literals and parameters that are compared with a field of a log source to the field's
 * type: a status is a number in some logs and a string in others. The order of an open string and a number is that of
 * numbers.
 */
export function matchLogField(
  values: readonly BoundExpression[],
  at: number,
  comparison: 'equality' | 'order' = 'equality',
): readonly BoundExpression[] {
  const field = values.find(isLogField) ?? values.find(({ type }) => isOpen(type));
  if (field === undefined) return values;
  const others = values.filter((value) => value !== field);
  if (comparison === 'order' && isOpen(field.type) && others.every(({ type }) => isNumeric(type))) {
    return values.map(asNumber);
  }
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
