import { stringText } from '../../src/compiler/syntax/print-literal.js';
import type { Field, Type } from '../../src/types/types.js';
import { storedFields } from '../../test/support/bigquery-fields.js';
import { isObject, type Json } from '../../test/support/json.js';

/** A statement that writes records into a table of these columns. */
export function insertStatement(
  path: readonly string[],
  columns: readonly Field[],
  records: readonly Json[],
): string {
  const names = columns.map(({ name }) => `\`${name}\``).join(', ');
  const rows = records.map((record) => `(${values(record, columns)})`);
  return `INSERT INTO \`${path.join('.')}\` (${names}) VALUES ${rows.join(',\n')}`;
}

function values(record: Json, fields: readonly Field[]): string {
  const read = (name: string) => (isObject(record) ? (record[name] ?? null) : null);
  return fields.map(({ name, type }) => literal(read(name), type)).join(', ');
}

/** A literal; one of NULL, an array, a record or a time has its type. */
function literal(value: Json, type: Type): string {
  if (type.kind === 'ARRAY') {
    const elements = Array.isArray(value) ? value.map((one) => literal(one, type.element)) : [];
    return `${typeText(type)}[${elements.join(', ')}]`;
  }
  if (value === null) return `CAST(NULL AS ${typeText(type)})`;
  if (type.kind === 'STRUCT') return `${typeText(type)}(${values(value, storedFields(type))})`;
  if (type.kind === 'STRING') return stringText(String(value));
  return typeof value === 'string' ? `CAST(${stringText(value)} AS ${type.kind})` : String(value);
}

function typeText(type: Type): string {
  if (type.kind === 'ARRAY') return `ARRAY<${typeText(type.element)}>`;
  if (type.kind !== 'STRUCT') return type.kind;
  const fields = storedFields(type).map((one) => `\`${one.name}\` ${typeText(one.type)}`);
  return `STRUCT<${fields.join(', ')}>`;
}
