import { type ArrayType, type StructType, storedNames, type Type } from '../../types/types.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { duckType, typedNull } from '../duckdb-sql/duckdb-type.js';
import { letOnce } from '../duckdb-sql/let.js';
import { mapList, storedFields } from '../duckdb-sql/plain.js';

type Convert = (value: d.DuckExpression, from: Type, to: Type) => d.DuckExpression;

/**
 * Converts a value to another type: structs field by field, by position, and arrays element by element.
 * @param safe whether the whole value becomes NULL if a part of it becomes NULL
 */
export function convertDeep(scalar: Convert, safe: boolean): Convert {
  const convert: Convert = (value, from, to) => {
    if (duckType(from) === duckType(to)) return d.castTo(value, duckType(to));
    if (from.kind === 'STRUCT' && to.kind === 'STRUCT') return struct(value, from, to);
    if (from.kind === 'ARRAY' && to.kind === 'ARRAY') return array(value, from, to);
    return scalar(value, from, to);
  };
  const struct = (value: d.DuckExpression, from: StructType, to: StructType) =>
    letOnce([value], ([one = d.nullValue]) => {
      const names = storedNames(from);
      const fields = storedFields(one, to).map(([field, , name]) => {
        const index = to.fields.indexOf(field);
        const own = from.fields[index];
        const part: d.DuckExpression = { kind: 'field', of: one, name: names[index] ?? '' };
        const converted = own?.stored ? convert(part, own.type, field.type) : typedNull(field.type);
        return { name, ...(own?.stored && { from: names[index] }), value: converted };
      });
      return fields.length === 0 ? typedNull(to) : convertStruct(one, fields, safe);
    });
  const array = (value: d.DuckExpression, from: ArrayType, to: ArrayType) =>
    convertList(value, (element) => convert(element, from.element, to.element), safe);
  return convert;
}

/** Converts each element of a list; if `safe`, the list is NULL if an element becomes NULL. */
export function convertList(
  value: d.DuckExpression,
  convert: (element: d.DuckExpression) => d.DuckExpression,
  safe: boolean,
): d.DuckExpression {
  if (!safe) return mapList(value, convert);
  return letOnce([value], ([list = value]) =>
    letOnce([list, mapList(list, convert)], ([before = list, made = list]) =>
      d.choose(d.infix('=', d.call('list_count', made), d.call('list_count', before)), made),
    ),
  );
}

/**
 * Converts each field of a struct; if `safe`, the struct is NULL if a field becomes NULL. `from` is the name of the
 * stored field that a field is converted from.
 */
export function convertStruct(
  value: d.DuckExpression,
  converted: readonly (d.DuckItem & { readonly from?: string | undefined })[],
  safe: boolean,
): d.DuckExpression {
  const fields = converted.map(({ name, value: field }) => ({ name, value: field }));
  const struct = d.choose(d.isNull(value), d.nullValue, { kind: 'struct', fields });
  if (!safe) return struct;
  return letOnce([value, struct], ([before = value, made = struct]) => {
    const kept = converted.flatMap(({ name, from }) => {
      if (from === undefined) return [];
      const isNone = d.isNull({ kind: 'field', of: before, name: from });
      return [d.infix('OR', isNone, d.isNotNull({ kind: 'field', of: made, name }))];
    });
    return d.choose(d.infix('AND', d.isNotNull(before), ...kept), made);
  });
}
