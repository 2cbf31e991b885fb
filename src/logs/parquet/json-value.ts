import type { DuckDBType } from '@duckdb/node-api';
import { DuckDBTypeId } from '../../common/duckdb-api.js';
import { quoteName, quoteText } from '../../common/quote.js';
import type { Field, Type } from '../../types/types.js';

/**
 * SQL for the value of a column in a JSON object; text is parsed as JSON where a record is
 * declared.
 */
export function jsonValue(name: string, type: DuckDBType, declared: readonly Field[]): string {
  return parseTexts(quoteName(name), type, typeOf(name, declared));
}

function typeOf(name: string, declared: readonly Field[]): Type | undefined {
  return declared.find((field) => field.name.toLowerCase() === name.toLowerCase())?.type;
}

/** Parses text as JSON where a record is declared. */
function parseTexts(value: string, type: DuckDBType, declared: Type | undefined): string {
  if (declared?.kind !== 'ARRAY' || declared.element.kind !== 'STRUCT') return value;
  if (type.typeId === DuckDBTypeId.VARCHAR) {
    const isRecord = `not log_deep(${value}) and json_valid(${value})`;
    return `case when ${isRecord} then ${value}::json else to_json(${value}) end`;
  }
  if (type.typeId === DuckDBTypeId.LIST) {
    const element = { ...declared, kind: 'ARRAY' } as const;
    const inner = parseTexts('i', type.valueType, element);
    return inner === 'i' ? value : `list_transform(${value}, lambda i: ${inner})`;
  }
  if (type.typeId !== DuckDBTypeId.STRUCT) return value;
  return parseStruct(value, type, declared.element.fields);
}

function parseStruct(
  value: string,
  type: Extract<DuckDBType, { readonly entryNames: readonly string[] }>,
  declared: readonly Field[],
): string {
  const before = type.entryNames.map((name) => `${value}.${quoteName(name)}`);
  const after = type.entryNames.map((name, index) => {
    const entry = type.entryTypes[index];
    const own = before[index] ?? '';
    return entry === undefined ? own : parseTexts(own, entry, typeOf(name, declared));
  });
  if (after.every((each, index) => each === before[index])) return value;
  const fields = type.entryNames.map((name, index) => `${quoteText(name)}: ${after[index]}`);
  return `case when ${value} is not null then {${fields.join(', ')}} end`;
}
