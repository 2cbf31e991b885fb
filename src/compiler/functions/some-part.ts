import { fieldType, isOpen, type Type } from '../../types/types.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { jsonScalarToText } from '../duckdb-sql/json-values.js';
import { letOnce } from '../duckdb-sql/let.js';
import { mapList, readFields, type StoredField } from '../duckdb-sql/plain.js';

/** A condition on a scalar. */
type Test = (value: DuckExpression, type: Type) => DuckExpression;

/**
 * Whether a condition holds for a part of a value, at any depth: an element, a field, or a scalar of JSON. NULL if it holds for
 * no part, and a part is NULL.
 */
export function somePart(value: DuckExpression, type: Type, test: Test): DuckExpression {
  const someOf = (list: DuckExpression, element: Type) =>
    d.macro(
      'any_true',
      mapList(list, (one) => somePart(one, element, test)),
    );
  if (isOpen(type)) {
    return letOnce([value], ([one = value]) => {
      const isNested = d.infix('AND', d.macro('opens_json', one), d.macro('is_json', one));
      const nested = somePart(d.castTo(one, 'JSON'), { kind: 'JSON' }, test);
      return d.choose(isNested, nested, test(one, { kind: 'STRING' }));
    });
  }
  if (type.kind === 'ARRAY') return someOf(value, type.element);
  if (type.kind === 'JSON') {
    return someOf(mapList(d.macro('json_scalars', value), jsonScalarToText), { kind: 'STRING' });
  }
  if (type.kind !== 'STRUCT') return test(value, type);
  if (!type.fields.some(({ stored }) => stored)) return d.nullValue;
  return letOnce([value], ([one = value]) => {
    const read = (fields: readonly StoredField[]) => either(fields.map(ofField));
    const ofField = ([field, inner]: StoredField) => {
      const found = somePart(inner, fieldType(field), test);
      // A field that only log files have is false, not NULL, if a record lacks it.
      return field.undeclared ? d.call('coalesce', found, d.falseValue) : found;
    };
    return d.choose(d.isNull(one), d.nullValue, readFields(one, type, read, either));
  });
}

function either(found: readonly DuckExpression[]): DuckExpression {
  return d.infix('OR', ...found);
}
