import { type Field, hasOwnNames, type Type } from '../../types/types.js';
import { castTo, type DuckExpression } from './duckdb-sql.js';
import { duckType } from './duckdb-type.js';

/** The same value with the fields of its records in order of name, at any depth. */
export function orderFields(value: DuckExpression, type: Type): DuckExpression {
  const written = duckType(orderedType(type));
  return written === duckType(type) ? value : castTo(value, written);
}

/** The type with the fields of its records in order of name. */
export function orderedType(type: Type): Type {
  if (type.kind === 'ARRAY') return { ...type, element: orderedType(type.element) };
  if (type.kind !== 'STRUCT') return type;
  const fields = type.fields.map((field) => ({ ...field, type: orderedType(field.type) }));
  // A cast finds fields by name. Only a record that is written in a query has unnamed fields or one name twice.
  if (!hasOwnNames(type)) return { ...type, fields };
  const key = ({ name }: Field) => name.toLowerCase();
  return { ...type, fields: fields.sort((one, other) => (key(one) < key(other) ? -1 : 1)) };
}
