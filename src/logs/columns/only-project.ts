import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteName } from '../../process/quote.js';
import { printedTable, projectSql } from '../../rows/print-columns.js';
import type { SourceSchema } from '../../types/schema.js';

/**
 * The project of all records of a table that was just written. Undefined if there are several, if
 * some record has none, or if the path leads through a list.
 */
export async function findOnlyProject(
  connection: DuckDBConnection,
  source: SourceSchema,
): Promise<string | undefined> {
  const value = source.projectPath && projectSql(source);
  if (value === undefined) return undefined;
  const table = `out.main.${quoteName(source.name)} as ${printedTable}`;
  const reader = await connection.runAndReadAll(
    `select min(${value}), max(${value}), count(${value}) = count(*) from ${table}`,
  );
  const [min, max, isEverywhere] = reader.getRowsJson()[0] ?? [];
  return isEverywhere === true && min === max && typeof min === 'string' ? min : undefined;
}
