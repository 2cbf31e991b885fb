import { type ArrayType, type StructType, storedNames, type Type } from '../../types/types.js';
import { castTo, choose, type DuckExpression, duckNull, isNull } from '../duckdb-sql/duckdb-sql.js';
import { duckType, typedNull } from '../duckdb-sql/duckdb-type.js';
import { letOnce } from '../duckdb-sql/let.js';
import { mapList, storedFields } from '../duckdb-sql/plain.js';

type Convert = (value: DuckExpression, from: Type, to: Type) => DuckExpression;

/** Converts a value to another type: structs field by field, by position, and arrays element by element. */
export function convertDeep(scalar: Convert): Convert {
  const convert: Convert = (value, from, to) => {
    if (duckType(from) === duckType(to)) return castTo(value, duckType(to));
    if (from.kind === 'STRUCT' && to.kind === 'STRUCT') return struct(value, from, to);
    if (from.kind === 'ARRAY' && to.kind === 'ARRAY') return array(value, from, to);
    return scalar(value, from, to);
  };
  const struct = (value: DuckExpression, from: StructType, to: StructType) =>
    letOnce([value], ([one = duckNull]) => {
      const names = storedNames(from);
      const fields = storedFields(one, to).map(([field, , name]) => {
        const index = to.fields.indexOf(field);
        const own = from.fields[index];
        const part: DuckExpression = { kind: 'field', of: one, name: names[index] ?? '' };
        const converted = own?.stored ? convert(part, own.type, field.type) : typedNull(field.type);
        return { name, value: converted };
      });
      return fields.length === 0
        ? typedNull(to)
        : choose(isNull(one), duckNull, { kind: 'struct', fields });
    });
  const array = (value: DuckExpression, from: ArrayType, to: ArrayType) =>
    mapList(value, (element) => convert(element, from.element, to.element));
  return convert;
}
