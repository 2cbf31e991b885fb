import type { LoadContext } from './load-open.js';
import type { LoadedSource, SourceLoad } from './load-source.js';
import { quoteName, quoteText } from './load-sql.js';

/** Writes the table of one source from tables of it in other database files, which are stored alike. */
export async function mergeParts(
  { connection }: LoadContext,
  { source, base, parts }: SourceLoad,
): Promise<LoadedSource> {
  const table = quoteName(source.name);
  const names = parts.map((_, place) => `part_${place}`);
  for (const [place, part] of parts.entries()) {
    await connection.run(`attach ${quoteText(part)} as ${names[place]} (read_only)`);
  }
  const rows = names.map((name) => `select * from ${name}.main.${table}`);
  await connection.run(`create table out.main.${table} as
    select * from (${rows.join(' union all ')}) order by "timestamp", id`);
  for (const name of names) await connection.run(`detach ${name}`);
  return { schema: base ?? source, shape: {}, fits: true, files: [], warnings: [] };
}
