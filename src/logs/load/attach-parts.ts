import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteName, quoteText } from '../../process/quote.js';
import type { Field } from '../../types/types.js';
import { carryQuery } from '../columns/carry.js';
import type { SourceLoad } from './job.js';

/** Returns a query for each table that reads its records with some columns. */
export type RowsIn = (columns: readonly Field[]) => readonly string[];

/** Attaches database files while a task reads their tables of a source. */
export async function withParts<T>(
  connection: DuckDBConnection,
  { source, parts }: Pick<SourceLoad, 'source' | 'parts'>,
  work: (rowsIn: RowsIn) => Promise<T>,
): Promise<T> {
  const names = parts.map((_, index) => `part_${index}`);
  for (const [index, { file }] of parts.entries()) {
    await connection.run(`attach ${quoteText(file)} as ${names[index]} (read_only)`);
  }
  const detach = async () => {
    for (const name of names) await connection.run(`detach ${name}`);
  };
  const done = work((columns) =>
    parts.map((part, index) => {
      return carryQuery(`${names[index]}.main.${quoteName(source.name)}`, part.columns, columns);
    }),
  );
  // An error of the task says more than a later error of detaching.
  await done.then(detach, () => detach().catch(() => {}));
  return done;
}
