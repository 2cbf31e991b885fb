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
 * SQL for the value of a column in a JSON object; text is parsed as JSON where a record is
 * declared.
 */
export function jsonValue({ name, type, texts }: Column, declared: readonly Field[]): string {
  const wanted = wantedAt(name, { declared, texts });
  if (type.typeId === DuckDBTypeId.VARCHAR || !hasUntyped(wanted.texts)) {
    return parseTexts(quoteName(name), type, wanted);
  }
  const value = parseTexts(quoteName(name), type, { ...wanted, texts: undefined });
  return quotedNumbers(`to_json(${value})`, wanted.texts);
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

/** Parses text as JSON where a record is declared. */
function parseTexts(value: string, type: DuckDBType, { declared, texts }: Wanted): string {
  if (declared?.kind !== 'ARRAY' || declared.element.kind !== 'STRUCT') return value;
  if (type.typeId === DuckDBTypeId.VARCHAR) {
    const isRecord = `not log_deep(${value}) and log_valid(${value})`;
    const json = quotedNumbers(`${value}::json`, texts);
    return `case when ${isRecord} then ${json} else to_json(${value}) end`;
  }
  if (type.typeId === DuckDBTypeId.LIST) {
    const inner = parseTexts('i', type.valueType, { declared, texts });
    return inner === 'i' ? value : `list_transform(${value}, lambda i: ${inner})`;
  }
  if (type.typeId !== DuckDBTypeId.STRUCT) return value;
  return parseStruct(value, type, { declared: declared.element.fields, texts });
}

function parseStruct(
  value: string,
  type: Extract<DuckDBType, { readonly entryNames: readonly string[] }>,
  wanted: WantedFields,
): string {
  const before = type.entryNames.map((name) => `${value}.${quoteName(name)}`);
  const after = type.entryNames.map((name, index) => {
    const entry = type.entryTypes[index];
    const own = before[index] ?? '';
    return entry === undefined ? own : parseTexts(own, entry, wantedAt(name, wanted));
  });
  if (after.every((each, index) => each === before[index])) return value;
  const fields = type.entryNames.map((name, index) => `${quoteText(name)}: ${after[index]}`);
  return `case when ${value} is not null then {${fields.join(', ')}} end`;
}
