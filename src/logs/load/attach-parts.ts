import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteName, quoteText } from '../../common/quote.js';

/** Attaches database files while some work reads their tables of a source, which it gets by name. */
export async function withParts<T>(
  connection: DuckDBConnection,
  { source, parts }: { readonly source: string; readonly parts: readonly string[] },
  work: (tables: readonly string[]) => Promise<T>,
): Promise<T> {
  const names = parts.map((_, index) => `part_${index}`);
  for (const [index, part] of parts.entries()) {
    await connection.run(`attach ${quoteText(part)} as ${names[index]} (read_only)`);
  }
  const detach = async () => {
    for (const name of names) await connection.run(`detach ${name}`);
  };
  const done = work(names.map((name) => `${name}.main.${quoteName(source)}`));
  // The error of the work says more than that of detaching after it.
  await done.then(detach, () => detach().catch(() => {}));
  return done;
}
