import { quoteName, quoteText } from '../../common/quote.js';
import { noContents } from '../columns/contents.js';
import type { LoadedSource, SourceLoad } from './job.js';
import type { LoadContext } from './open-file.js';
import { writeNewest } from './write-newest.js';
import { estimateBytes, writeSorted } from './write-sorted.js';

/**
 * Writes the table of one source from its tables in other database files, which all have the same
 * schema.
 */
export async function mergeParts(
  context: LoadContext,
  { source, base, parts }: SourceLoad,
): Promise<LoadedSource> {
  const { connection, staging } = context;
  const table = quoteName(source.name);
  const names = parts.map((_, index) => `part_${index}`);
  for (const [index, part] of parts.entries()) {
    await connection.run(`attach ${quoteText(part)} as ${names[index]} (read_only)`);
  }
  const rows = names.map((name) => `select * from ${name}.main.${table}`);
  const files = parts.map((path) => ({ path, format: 'parquet', compression: 'none' }) as const);
  const query = `select * from (${rows.join(' union all ')})`;
  const bytes = estimateBytes(files);
  const isInOrder = false;
  await writeSorted(connection, { name: source.name, query, bytes, isInOrder, staging });
  for (const name of names) await connection.run(`detach ${name}`);
  const { columns } = base ?? source;
  await writeNewest(context, { ...source, columns });
  return { schema: base ?? source, contents: noContents, fits: true, files: [] };
}
