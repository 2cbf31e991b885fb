import { fieldType, isOpen, type Type } from '../../types/types.js';
import {
  call,
  castTo,
  choose,
  type DuckExpression,
  duckFalse,
  duckNull,
  infix,
  isNull,
  macro,
} from '../duckdb-sql/duckdb-sql.js';
import { jsonScalarToText } from '../duckdb-sql/json-values.js';
import { letOnce } from '../duckdb-sql/let.js';
import { mapList, readFields, type StoredField } from '../duckdb-sql/plain.js';

/** A condition on a value that holds no others. */
type Test = (value: DuckExpression, type: Type) => DuckExpression;

/**
 * Whether a condition holds for a part of a value, at any depth: an element, a field, or a scalar of JSON. NULL if it holds for
 * none, and there is a NULL.
 */
export function somePart(value: DuckExpression, type: Type, test: Test): DuckExpression {
  const someOf = (list: DuckExpression, element: Type) =>
    macro(
      'any_true',
      mapList(list, (one) => somePart(one, element, test)),
    );
  if (isOpen(type)) {
    return letOnce([value], ([one = value]) => {
      const isNested = infix('AND', macro('opens_json', one), macro('is_json', one));
      const nested = somePart(castTo(one, 'JSON'), { kind: 'JSON' }, test);
      return choose(isNested, nested, test(one, { kind: 'STRING' }));
    });
  }
  if (type.kind === 'ARRAY') return someOf(value, type.element);
  if (type.kind === 'JSON') {
    return someOf(mapList(macro('json_scalars', value), jsonScalarToText), { kind: 'STRING' });
  }
  if (type.kind !== 'STRUCT') return test(value, type);
  if (!type.fields.some(({ stored }) => stored)) return duckNull;
  return letOnce([value], ([one = value]) => {
    const read = (fields: readonly StoredField[]) => either(fields.map(ofField));
    const ofField = ([field, inner]: StoredField) => {
      const found = somePart(inner, fieldType(field), test);
      // A record that lacks a field that only log files have does not hold the text there.
      return field.undeclared ? call('coalesce', found, duckFalse) : found;
    };
    return choose(isNull(one), duckNull, readFields(one, type, read, either));
  });
}

function either(found: readonly DuckExpression[]): DuckExpression {
  return infix('OR', ...found);
}
