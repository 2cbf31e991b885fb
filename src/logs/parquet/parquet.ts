import type { DuckDBConnection, DuckDBType } from '@duckdb/node-api';
import { DuckDBTypeId } from '../../process/duckdb-api.js';
import { quoteName, quoteText } from '../../process/quote.js';
import type { Field } from '../../types/types.js';
import type { LogFile } from '../files/files.js';
import { pathSql } from '../files/line-reader.js';
import { jsonSql, parquetType, structToJson } from './json-value.js';

/**
 * Writes the rows of a Parquet file to `path` as lines of JSON, which are read like any others; `declared` are the
 * fields that their source declares. If a row has no `id`, the lines are canonical, sorted by name and without NULLs:
 * the id that is made of a line depends neither on the order of the file's columns nor on which of them other rows have.
 * @throws an error of DuckDB if the file cannot be read
 */
export async function writeRows(
  connection: DuckDBConnection,
  file: LogFile,
  { path, declared }: { readonly path: string; readonly declared: readonly Field[] },
): Promise<void> {
  const table = `read_parquet(${pathSql(file)}, hive_partitioning = false)`;
  const empty = await connection.runAndReadAll(`select * from ${table} limit 0`);
  const columns = empty
    .columnNames()
    .map((name, index) => ({ name, type: empty.columnType(index) }));
  const hasIds = await haveIds(connection, table, columns);
  const members = columns.map(({ name, type }) => {
    const sorted = sortedType(type);
    const needsSorting = !hasIds && sorted !== type.toString();
    const value = needsSorting ? `(${quoteName(name)}::${sorted})` : quoteName(name);
    return [name, jsonSql(value, type, parquetType(name, declared))] as const;
  });
  const object = structToJson(hasIds ? members : members.toSorted(byName));
  // A line break in JSON is white space, because strings escape theirs.
  const row = `translate(${object}, chr(10) || chr(13), '  ')`;
  await connection.run(`copy (
      select case when contains(row, 'Infinity') or contains(row, 'NaN') then ${withoutInfinity} else row end
      from (select ${hasIds ? 'row' : withoutNulls} as row from (select ${row} as row from ${table}))
    ) to ${quoteText(path)} (format csv, header false, quote '', escape '', delimiter e'\\x01')`);
}

/** Whether every row has an `id`. */
async function haveIds(
  connection: DuckDBConnection,
  table: string,
  columns: readonly { readonly name: string }[],
): Promise<boolean> {
  const id = columns.find(({ name }) => name.toLowerCase() === 'id');
  if (id === undefined) return false;
  const counts = `select count(*) = count(${quoteName(id.name)}) from ${table}`;
  return (await connection.runAndReadAll(counts)).getRowsJson()[0]?.[0] === true;
}

/** The type with the fields of every record sorted by name. */
function sortedType(type: DuckDBType): string {
  if (type.typeId === DuckDBTypeId.LIST) return `${sortedType(type.valueType)}[]`;
  // DuckDB represents JSON as an alias of VARCHAR.
  if (type.typeId !== DuckDBTypeId.STRUCT) return type.alias ?? type.toString();
  const fields = type.entryNames.map((name, index) => {
    const entry = type.entryTypes[index];
    return [name, `${quoteName(name)} ${entry === undefined ? '' : sortedType(entry)}`] as const;
  });
  const sorted = fields.toSorted(byName).map(([, sql]) => sql);
  return `STRUCT(${sorted.join(', ')})`;
}

function byName(
  [one]: readonly [name: string, sql: string],
  [other]: readonly [name: string, sql: string],
): number {
  return one < other ? -1 : 1;
}

/** A JSON string as an RE2 pattern. */
const string = String.raw`"(?:[^"\\]|\\.)*"`;

/** SQL for a row without its NULLs, and without the commas that a leading NULL leaves. */
const withoutNulls = `regexp_replace(regexp_replace(row,
  ${quoteText(`,?${string}:null|(${string})`)}, '\\1', 'g'),
  ${quoteText(`(${string})|([{]),`)}, '\\1\\2', 'g')`;

/**
 * SQL for a row in which `Infinity` and `NaN`, which DuckDB prints although JSON lacks them, are strings that
 * GoogleSQL can cast.
 */
const withoutInfinity = `array_to_string(list_transform(
  regexp_extract_all(row, ${quoteText(`${string}|-?Infinity|NaN|[^"IN-]+|.`)}),
  lambda x: case when x in ('Infinity', '-Infinity', 'NaN') then '"' || replace(lower(x), 'infinity', 'inf') || '"' else x end), '')`;
