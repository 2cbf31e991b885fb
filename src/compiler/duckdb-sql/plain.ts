import * as types from '../../types/types.js';
import { splitWide } from '../../types/wide.js';
import * as d from './duckdb-sql.js';
import { duckType } from './duckdb-type.js';
import { letOnce } from './let.js';
import { duckList, letBe, mapAs } from './variable.js';

/**
 * Converts a value to the plain layout of its type: a record stored as a struct becomes a list of one
 * element, and NULL becomes the empty list.
 */
export function lowerPlain(value: d.DuckExpression, type: types.Type): d.DuckExpression {
  if (types.isPlain(type) && !types.holdsArray(type)) return value;
  if (type.kind === 'STRUCT') return plainStruct(value, type);
  return plainList(value, type, lowerPlain);
}

/** Converts an array to a list, which is empty for NULL. Without `convert`, elements stay as they are. */
export function plainList(
  value: d.DuckExpression,
  type: types.Type,
  convert?: typeof lowerPlain,
): d.DuckExpression {
  if (type.kind !== 'ARRAY') return value;
  const { element, layout } = type;
  const convertOne = (one: d.DuckExpression) => convert?.(one, element) ?? one;
  if (layout === 'struct') {
    return letOnce([value], ([one = value]) =>
      d.choose(d.isNull(one), duckList(), duckList(convertOne(one))),
    );
  }
  const isSame = types.isPlain(element) && !types.holdsArray(element);
  const list = isSame || convert === undefined ? value : mapList(value, convertOne);
  return d.call('coalesce', list, duckList());
}

/** Maps each element of a list. */
export function mapList(
  value: d.DuckExpression,
  map: (element: d.DuckExpression) => d.DuckExpression,
): d.DuckExpression {
  return mapAs(value, 'element', map(d.variable('element')));
}

/** A stored field of a struct, with its value and its name in the engine. */
export type StoredField = readonly [types.Field, d.DuckExpression, string];

/** The stored fields of a struct. */
export function storedFields(
  value: d.DuckExpression,
  type: types.StructType,
): readonly StoredField[] {
  const names = types.storedNames(type);
  return type.fields.flatMap((field, index): readonly StoredField[] => {
    const name = names[index] ?? '';
    return field.stored ? [[field, d.fieldValue(value, name), name]] : [];
  });
}

/** Whether a record is read in parts, because it has very many fields. */
export function isWide(type: types.StructType): boolean {
  return splitWide(type).length > 1;
}

/** Computes a value from the fields of a record. A wide record is read in small parts, whose results are joined. */
export function readFields(
  value: d.DuckExpression,
  type: types.StructType,
  read: (fields: readonly StoredField[]) => d.DuckExpression,
  join: (parts: readonly d.DuckExpression[]) => d.DuckExpression,
): d.DuckExpression {
  if (!isWide(type)) return read(storedFields(value, type));
  return letOnce([value], ([one = value]) =>
    join(
      splitWide(type).map((part) => {
        const body = read(storedFields(d.variable('part'), part));
        return letBe(d.castTo(one, duckType(part)), 'part', body);
      }),
    ),
  );
}

/** Joins the fields of several records in one record. */
export function joinRecords(records: readonly d.DuckExpression[]): d.DuckExpression {
  return d.call('struct_concat', ...records);
}

/** Whether a record shows a field that only log files have: it is not NULL or an empty array. */
export function isShown(value: d.DuckExpression, type: types.Type): d.DuckExpression {
  const isList = type.kind === 'ARRAY' && type.layout === 'list';
  return isList ? d.infix('>', d.call('len', value), d.integer(0)) : d.isNotNull(value);
}

function plainStruct(value: d.DuckExpression, type: types.StructType): d.DuckExpression {
  if (!type.fields.some(({ stored }) => stored)) return d.nullValue;
  const read = (stored: readonly StoredField[]): d.DuckExpression => {
    const fields = stored.map(([{ type: of }, inner, name]) => ({
      name,
      value: lowerPlain(inner, of),
    }));
    return { kind: 'struct', fields };
  };
  return letOnce([value], ([one = value]) =>
    d.choose(d.isNull(one), d.nullValue, readFields(one, type, read, joinRecords)),
  );
}
