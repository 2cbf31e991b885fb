import { isNumeric, isOpen, scalar, type Type } from '../../types/types.js';
import * as bound from '../bound/bound.js';
import { coerce, isLiteralOrParameter, isNullLiteral, supertype } from '../bound/coerce.js';
import { boundLiteral, convertLiteral } from '../bound/literal.js';
import { callByName } from '../functions/match-call.js';
import { asNumber } from '../functions/read-open.js';

/**
 * Converts literals and parameters that are compared with a field of a log source to the field's
 * type: a status is a number in some logs and a string in others. An open string, which is an undeclared STRING of a
 * log, is compared with a number as a number if it contains one. Records that the query makes are compared by field.
 */
export function matchLogField(
  values: readonly bound.Expression[],
  at: number,
  comparison: 'equality' | 'order' = 'equality',
): readonly bound.Expression[] {
  const first = values.find((value) => value.kind === 'struct');
  if (first && values.every((value) => value.kind === 'struct' || isNullLiteral(value))) {
    const fields = first.values.map((own, index) => {
      const parts = values.map((one) => (one.kind === 'struct' ? (one.values[index] ?? own) : one));
      return matchLogField(parts, at, comparison);
    });
    return values.map((one, place) => {
      if (one.kind !== 'struct') return one;
      const matched = one.values.map((own, index) => fields[index]?.[place] ?? own);
      return bound.withValues(one, matched);
    });
  }
  const field = values.find(bound.isLogField) ?? values.find(({ type }) => isOpen(type));
  if (field === undefined) return values;
  const others = values.filter((value) => value !== field);
  const common = supertype(others);
  if (isOpen(field.type) && common !== undefined && isNumeric(common)) {
    const isText = comparison === 'equality' && others.every(isLiteralOrParameter);
    if (isText) return values.map((value) => numberText(value, common, at));
    return values.map(common.kind === 'INT64' && !others.every(isShort) ? exactNumber : asNumber);
  }
  return values.map((value) =>
    isLiteralOrParameter(value) ? castTo(value, field.type, at) : value,
  );
}

/** Converts a number, or the number in an open string, to its shortest string; other open strings stay as they are. */
function numberText(value: bound.Expression, type: Type, at: number): bound.Expression {
  if (!isOpen(value.type)) {
    return type.kind === 'INT64' ? castTo(value, text, at) : castToText(coerce(value, type, at));
  }
  const number = castToText({ kind: 'cast', of: value, type, safe: true });
  return callByName('coalesce', [number, castToText(asNumber(value)), value], at);
}

const text = scalar('STRING');

function castToText(of: bound.Expression): bound.Expression {
  return { kind: 'cast', of, type: text, safe: false };
}

/** Whether a value is a literal in the range in which a FLOAT64 distinguishes all integers. */
function isShort(value: bound.Expression): boolean {
  return value.kind === 'literal' && Number.isSafeInteger(Number(value.value));
}

/**
 * Reads the number in an open string with all digits of an integer. A number beyond NUMERIC becomes 1e28 with its sign.
 */
function exactNumber(of: bound.Expression): bound.Expression {
  if (!isOpen(of.type)) return of;
  const type = scalar('NUMERIC');
  const sign = callByName('sign', [asNumber(of)], 0);
  const far = callByName('$*', [sign, boundLiteral('FLOAT64', '1e28')], 0);
  const values = [of, far].map((each) => ({ kind: 'cast', of: each, type, safe: true }) as const);
  return callByName('coalesce', values, 0);
}

function castTo(value: bound.Expression, type: Type, at: number): bound.Expression {
  const from = value.type.kind;
  const differ = (from === 'STRING') !== (type.kind === 'STRING');
  if (!differ || hasNoText(from) || hasNoText(type.kind)) return value;
  if (value.kind === 'literal') return convertLiteral(value, type, at);
  return { kind: 'cast', of: value, type, safe: false };
}

/** Whether values of a type are never compared as strings. */
function hasNoText(kind: Type['kind']): boolean {
  return ['ARRAY', 'STRUCT', 'BYTES'].includes(kind);
}
