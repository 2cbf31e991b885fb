import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteName, quoteText } from '../../common/quote.js';
import type { Table } from '../columns/carry.js';
import type { StoredTable } from './job.js';

/** Attaches database files while some work reads their tables of a source. */
export async function withParts<T>(
  connection: DuckDBConnection,
  { source, parts }: { readonly source: string; readonly parts: readonly StoredTable[] },
  work: (tables: readonly Table[]) => Promise<T>,
): Promise<T> {
  const names = parts.map((_, index) => `part_${index}`);
  for (const [index, { file }] of parts.entries()) {
    await connection.run(`attach ${quoteText(file)} as ${names[index]} (read_only)`);
  }
  const detach = async () => {
    for (const name of names) await connection.run(`detach ${name}`);
  };
  const tables = parts.map(({ columns }, index) => {
    return { sql: `${names[index]}.main.${quoteName(source)}`, columns };
  });
  const done = work(tables);
  // The error of the work says more than that of detaching after it.
  await done.then(detach, () => detach().catch(() => {}));
  return done;
}
