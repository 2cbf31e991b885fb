import { storedNames, type Type } from '../../types/types.js';
import { castTo, type DuckExpression } from './duckdb-sql.js';
import { duckType } from './duckdb-type.js';

/** The same value with the fields of its records in order of name, at any depth. */
export function orderFields(value: DuckExpression, type: Type): DuckExpression {
  const written = duckType(orderedType(type));
  return written === duckType(type) ? value : castTo(value, written);
}

function orderedType(type: Type): Type {
  if (type.kind === 'ARRAY') return { ...type, element: orderedType(type.element) };
  if (type.kind !== 'STRUCT') return type;
  const names = storedNames(type);
  // A cast finds fields by name. Only a record that is written in a query has unnamed fields or one name twice.
  if (type.fields.some(({ name }, index) => name !== names[index])) return type;
  const keyed = type.fields.map((field) => {
    return { key: field.name.toLowerCase(), field: { ...field, type: orderedType(field.type) } };
  });
  const sorted = keyed.toSorted((one, other) => (one.key < other.key ? -1 : 1));
  return { ...type, fields: sorted.map(({ field }) => field) };
}
