import type { DuckDBType } from '@duckdb/node-api';
import { DuckDBTypeId } from '../../process/duckdb-api.js';
import { quoteName, quoteText } from '../../process/quote.js';
import type { Field, Type } from '../../types/types.js';

/**
 * SQL for the JSON of a value, as text: DuckDB would round the numbers of JSON nested in other JSON. A string is
 * parsed as JSON if its field is declared as a record.
 */
export function jsonSql(value: string, type: DuckDBType, declared: Type | undefined): string {
  return parseTexts(value, type, declared) ?? plainJson(value);
}

function plainJson(value: string): string {
  return `to_json(${value})::varchar`;
}

/** SQL for a JSON object of members whose values are SQL for JSON, as text. */
export function structToJson(members: readonly (readonly [name: string, json: string])[]): string {
  const printed = members.map(
    ([name, json]) => `${quoteText(`${JSON.stringify(name)}:`)} || coalesce(${json}, 'null')`,
  );
  return `('{' || ${printed.join(` || ',' || `)} || '}')`;
}

/** The type that is declared for a name, ignoring case. */
export function parquetType(name: string, declared: readonly Field[]): Type | undefined {
  return declared.find((field) => field.name.toLowerCase() === name.toLowerCase())?.type;
}

function parseTexts(
  value: string,
  type: DuckDBType,
  declared: Type | undefined,
): string | undefined {
  if (declared?.kind !== 'ARRAY' || declared.element.kind !== 'STRUCT') return undefined;
  if (type.typeId === DuckDBTypeId.VARCHAR) {
    const isRecord = `not log_deep(${value}) and log_valid(${value})`;
    return `case when ${isRecord} then ${value} else ${plainJson(value)} end`;
  }
  if (type.typeId === DuckDBTypeId.LIST) {
    const inner = parseTexts('i', type.valueType, declared);
    if (inner === undefined) return undefined;
    const elements = `list_transform(${value}, lambda i: coalesce(${inner}, 'null'))`;
    return `('[' || array_to_string(${elements}, ',') || ']')`;
  }
  if (type.typeId !== DuckDBTypeId.STRUCT) return undefined;
  return parseStruct(value, type, declared.element.fields);
}

function parseStruct(
  value: string,
  type: Extract<DuckDBType, { readonly entryNames: readonly string[] }>,
  declared: readonly Field[],
): string | undefined {
  const members = type.entryNames.map((name, index) => {
    const entry = type.entryTypes[index];
    const own = `${value}.${quoteName(name)}`;
    const json = entry && parseTexts(own, entry, parquetType(name, declared));
    return { name, isParsed: json !== undefined, json: json ?? plainJson(own) };
  });
  if (!members.some(({ isParsed }) => isParsed)) return undefined;
  const object = structToJson(members.map(({ name, json }) => [name, json]));
  return `case when ${value} is not null then ${object} end`;
}
