import {
  type Field,
  holdsArray,
  isPlain,
  plainType,
  type StructType,
  storedNames,
  type Type,
} from '../../types/types.js';
import {
  call,
  castTo,
  choose,
  type DuckExpression,
  duckNull,
  infix,
  integer,
  isNotNull,
  isNull,
} from './duckdb-sql.js';
import { duckType } from './duckdb-type.js';

/**
 * A value in the plain layout of its type: a record stored as a struct becomes a list of one element,
 * and NULL the empty list.
 */
export function lowerPlain(value: DuckExpression, type: Type): DuckExpression {
  if (isPlain(type) && !holdsArray(type)) return value;
  if (type.kind === 'STRUCT') return plainStruct(value, type);
  if (type.kind !== 'ARRAY') return value;
  const empty = castTo({ kind: 'list', elements: [] }, duckType(plainType(type)));
  if (type.layout === 'struct') {
    return choose(isNull(value), empty, {
      kind: 'list',
      elements: [lowerPlain(value, type.element)],
    });
  }
  const { element } = type;
  const list =
    isPlain(element) && !holdsArray(element)
      ? value
      : mapList(value, (one) => lowerPlain(one, element));
  return call('coalesce', list, empty);
}

/** A list with each element mapped. */
export function mapList(
  value: DuckExpression,
  map: (element: DuckExpression) => DuckExpression,
): DuckExpression {
  const body = map({ kind: 'name', name: 'element' });
  return call('list_transform', value, { kind: 'lambda', parameters: ['element'], body });
}

/** The stored fields of a struct, each with its value and its name in the engine. */
export function storedFields(
  value: DuckExpression,
  type: StructType,
): readonly (readonly [Field, DuckExpression, string])[] {
  const names = storedNames(type);
  return type.fields.flatMap(
    (field, index): readonly (readonly [Field, DuckExpression, string])[] => {
      const name = names[index] ?? '';
      return field.stored ? [[field, { kind: 'field', of: value, name }, name]] : [];
    },
  );
}

/** Whether a record shows a field that only log files have: it has a value, which is no empty array. */
export function isShown(value: DuckExpression, { kind }: Type): DuckExpression {
  return kind === 'ARRAY' ? infix('>', call('len', value), integer(0)) : isNotNull(value);
}

function plainStruct(value: DuckExpression, type: StructType): DuckExpression {
  const fields = storedFields(value, type).map(([field, inner, name]) => ({
    name,
    value: lowerPlain(inner, field.type),
  }));
  if (fields.length === 0) return duckNull;
  return choose(isNull(value), duckNull, { kind: 'struct', fields });
}
