import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteName } from '../../common/quote.js';
import type { SourceSchema } from '../../types/schema.js';
import type { Field } from '../../types/types.js';
import { fieldsOf, valueSql } from './not-null-witness.js';

/**
 * The project of all records of a table that was just written. Undefined if there are several, if
 * some record has none, or if the path leads through a list.
 */
export async function findOnlyProject(
  connection: DuckDBConnection,
  { name, columns }: SourceSchema,
  path: readonly string[] | undefined,
): Promise<string | undefined> {
  if (path === undefined || !isStoredText(columns, path)) return undefined;
  const value = valueSql(path);
  const reader = await connection.runAndReadAll(
    `select min(${value}), max(${value}), count(${value}) = count(*) from out.main.${quoteName(name)}`,
  );
  const [min, max, isEverywhere] = reader.getRowsJson()[0] ?? [];
  return isEverywhere === true && min === max && typeof min === 'string' ? min : undefined;
}

/** Whether a path leads to a stored STRING through records that are stored as structs. */
function isStoredText(fields: readonly Field[], [name, ...rest]: readonly string[]): boolean {
  const field = fields.find((each) => each.name === name);
  if (field === undefined || !field.stored) return false;
  return rest.length === 0
    ? field.type.kind === 'STRING'
    : isStoredText(fieldsOf(field.type), rest);
}
