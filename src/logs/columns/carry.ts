import { duckType } from '../../compiler/duckdb-sql/duckdb-type.js';
import { quoteName, quoteText } from '../../process/quote.js';
import * as types from '../../types/types.js';
import { canReadAs } from './fit.js';

/** Returns a query that reads the records of a stored table with other columns, which must cover their contents. */
export function carryQuery(
  table: string,
  columns: readonly types.Field[],
  to: readonly types.Field[],
): string {
  const record = { columns, fieldSql: quoteName, to, depth: 0 };
  const values = to
    .filter(({ stored }) => stored)
    .map((field) => `${carryField(field, record)} as ${quoteName(field.name)}`);
  return `select ${values.join(', ')} from ${table}`;
}

interface Parent {
  readonly columns: readonly types.Field[];
  /** SQL for the value of a stored field. */
  readonly fieldSql: (name: string) => string;
  /** The fields of the new record. */
  readonly to: readonly types.Field[];
  /** The number of enclosing records. */
  readonly depth: number;
}

function carryField(field: types.Field, parent: Parent): string {
  const { name, type } = field;
  const sql = duckType(type);
  const lower = name.toLowerCase();
  const before = parent.columns.find((one) => one.stored && one.name.toLowerCase() === lower);
  if (name === types.otherFields) return carryOthers(parent, before);
  if (before === undefined) return `null::${sql}`;
  const value = parent.fieldSql(before.name);
  // A cast matches the fields of a record by name.
  if (canReadAs([before], [field], { asLists: false })) return `(${value})::${sql}`;
  return `(${carry(type, { sql: value, type: before.type }, parent.depth + 1)})::${sql}`;
}

/** Adds fields that lost their types to those that never had one. */
function carryOthers({ columns, fieldSql, to }: Parent, before: types.Field | undefined): string {
  const kept = new Set(
    to.flatMap(({ name }) => (name === types.otherFields ? [] : [name.toLowerCase()])),
  );
  const others = columns.filter(({ name, stored }) => stored && !kept.has(name.toLowerCase()));
  if (others.length === 0) return 'null::varchar';
  if (others.length === 1 && before !== undefined) return fieldSql(before.name);
  const members = others.map(({ name }) => `${quoteText(name)}: ${fieldSql(name)}`);
  return `nullif(${asLogged(`{${members.join(', ')}}`)}, '{}')`;
}

/** SQL for the JSON text of a stored value as the log had it. */
function asLogged(value: string): string {
  return `log_as_written(to_json(${value})::varchar)`;
}

/** A stored value to write again with another type or layout. */
interface Stored {
  readonly sql: string;
  readonly type: types.Type;
}

function carry(to: types.Type, { sql, type }: Stored, depth: number): string {
  if (!types.isRecords(to))
    return type.kind === 'ARRAY' && to.kind !== 'ARRAY' ? asLogged(sql) : sql;
  if (!types.isRecords(type)) return 'null';
  const variable = `(e${depth})`;
  const pack = (element: string) => packRecord(to, { sql: element, type }, depth);
  if (to.layout !== 'list') return pack(type.layout === 'list' ? `(${sql})[1]` : sql);
  if (type.layout === 'list') {
    return `list_transform(${sql}, lambda ${variable.slice(1, -1)}: ${pack(variable)})`;
  }
  return `case when ${sql} is not null then [${pack(sql)}] end`;
}

function packRecord(
  to: types.Records,
  { sql, type }: Stored & { readonly type: types.Records },
  depth: number,
): string {
  const fieldSql = (name: string) => `struct_extract(${sql}, ${quoteText(name)})`;
  const parent = { columns: type.element.fields, fieldSql, to: to.element.fields, depth };
  const members = parent.to
    .filter(({ stored }) => stored)
    .map((field) => `${quoteText(field.name)}: ${carryField(field, parent)}`);
  return `case when ${sql} is not null then {${members.join(', ')}} end`;
}
