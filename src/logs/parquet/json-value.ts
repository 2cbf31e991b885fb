import type { DuckDBType } from '@duckdb/node-api';
import { DuckDBTypeId } from '../../common/duckdb-api.js';
import { quoteName, quoteText } from '../../common/quote.js';
import type { Field, Type } from '../../types/types.js';
import {
  hasUntyped,
  quotedNumbers,
  type TextAt,
  type TextFields,
} from '../columns/written-numbers.js';

/** A column, and what of it becomes texts. */
interface Column {
  readonly name: string;
  readonly type: DuckDBType;
  readonly texts: TextFields | undefined;
}

/**
 * SQL for the JSON of a column, as text: DuckDB would round the numbers of a JSON value within another one. Text is
 * taken as JSON where a record is declared; undefined if there is no such text.
 */
export function jsonOfTexts(
  { name, type, texts }: Column,
  declared: readonly Field[],
): string | undefined {
  const value = quoteName(name);
  const wanted = wantedAt(name, { declared, texts });
  if (type.typeId === DuckDBTypeId.VARCHAR || !hasUntyped(wanted.texts)) {
    return parseTexts(value, type, wanted);
  }
  const json = parseTexts(value, type, { ...wanted, texts: undefined }) ?? plainJson(value);
  return `(${quotedNumbers(`(${json})::json`, wanted.texts)})::varchar`;
}

/** SQL for the JSON of a value, as text. */
export function plainJson(value: string): string {
  return `to_json(${value})::varchar`;
}

/** SQL for a JSON object of members whose values are SQL for JSON, as text. */
export function printObject(members: readonly (readonly [name: string, json: string])[]): string {
  const printed = members.map(
    ([name, json]) => `${quoteText(`${JSON.stringify(name)}:`)} || coalesce(${json}, 'null')`,
  );
  return `('{' || ${printed.join(` || ',' || `)} || '}')`;
}

/** What is declared at a place of the file, and what becomes texts there. */
interface Wanted {
  readonly declared: Type | undefined;
  readonly texts: TextAt | undefined;
}

interface WantedFields {
  readonly declared: readonly Field[];
  readonly texts: TextAt | undefined;
}

function wantedAt(name: string, { declared, texts }: WantedFields): Wanted {
  const at = typeof texts === 'object' && Object.hasOwn(texts.at, name) ? texts.at : undefined;
  return { declared: typeOf(name, declared), texts: at?.[name] };
}

function typeOf(name: string, declared: readonly Field[]): Type | undefined {
  return declared.find((field) => field.name.toLowerCase() === name.toLowerCase())?.type;
}

function parseTexts(
  value: string,
  type: DuckDBType,
  { declared, texts }: Wanted,
): string | undefined {
  if (declared?.kind !== 'ARRAY' || declared.element.kind !== 'STRUCT') return undefined;
  if (type.typeId === DuckDBTypeId.VARCHAR) {
    const isRecord = `not log_deep(${value}) and log_valid(${value})`;
    const json = quotedNumbers(`${value}::json`, texts);
    return `case when ${isRecord} then (${json})::varchar else ${plainJson(value)} end`;
  }
  if (type.typeId === DuckDBTypeId.LIST) {
    const inner = parseTexts('i', type.valueType, { declared, texts });
    if (inner === undefined) return undefined;
    const elements = `list_transform(${value}, lambda i: coalesce(${inner}, 'null'))`;
    return `('[' || array_to_string(${elements}, ',') || ']')`;
  }
  if (type.typeId !== DuckDBTypeId.STRUCT) return undefined;
  return parseStruct(value, type, { declared: declared.element.fields, texts });
}

function parseStruct(
  value: string,
  type: Extract<DuckDBType, { readonly entryNames: readonly string[] }>,
  wanted: WantedFields,
): string | undefined {
  const members = type.entryNames.map((name, index) => {
    const entry = type.entryTypes[index];
    const own = `${value}.${quoteName(name)}`;
    const json = entry && parseTexts(own, entry, wantedAt(name, wanted));
    return { name, isParsed: json !== undefined, json: json ?? plainJson(own) };
  });
  if (!members.some(({ isParsed }) => isParsed)) return undefined;
  const object = printObject(members.map(({ name, json }) => [name, json]));
  return `case when ${value} is not null then ${object} end`;
}
