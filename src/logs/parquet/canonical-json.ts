import type { DuckDBType } from '@duckdb/node-api';
import { DuckDBTypeId } from '../../common/duckdb-api.js';
import { quoteName, quoteText } from '../../common/quote.js';
import { printObject } from './json-value.js';

/** A column of a file. */
interface SortedColumn {
  readonly name: string;
  /** SQL for its JSON, as text, with the fields of every record in the order of their names. */
  readonly sorted: string;
}

/**
 * SQL for a row as text that does not depend on which fields other rows of its file have, or in which order: sorted by
 * name, without NULLs. A comma before a quote is left out too; the text can still be read in one way only.
 */
export function canonicalJson(columns: readonly SortedColumn[]): string {
  const members = columns.toSorted(byName).map(({ name, sorted }) => [name, sorted] as const);
  const pattern = String.raw`,?"(?:[^"\\]|\\.)*":null|,?("(?:[^"\\]|\\.)*")`;
  return `regexp_replace(${printObject(members)}, ${quoteText(pattern)}, '\\1', 'g')`;
}

/** SQL for a column with the fields of every record in the order of their names. */
export function sortedSql(name: string, type: DuckDBType): string {
  const sorted = sortedType(type);
  return sorted === type.toString() ? quoteName(name) : `${quoteName(name)}::${sorted}`;
}

function sortedType(type: DuckDBType): string {
  if (type.typeId === DuckDBTypeId.LIST) return `${sortedType(type.valueType)}[]`;
  // DuckDB represents JSON as an alias of VARCHAR.
  if (type.typeId !== DuckDBTypeId.STRUCT) return type.alias ?? type.toString();
  const fields = type.entryNames.flatMap((name, index) => {
    const entry = type.entryTypes[index];
    return entry === undefined ? [] : [{ name, sql: `${quoteName(name)} ${sortedType(entry)}` }];
  });
  return `STRUCT(${fields
    .toSorted(byName)
    .map(({ sql }) => sql)
    .join(', ')})`;
}

function byName(one: { readonly name: string }, other: { readonly name: string }): number {
  return one.name < other.name ? -1 : 1;
}
