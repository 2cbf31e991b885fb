import { noContents } from '../columns/contents.js';
import { withParts } from './attach-parts.js';
import type { LoadedSource, SourceLoad } from './job.js';
import type { LoadContext } from './open-file.js';
import { writeNewest } from './write-newest.js';
import { estimateBytes, writeSorted } from './write-sorted.js';

/**
 * Writes the table of one source from its tables in other database files; the columns of `base` must be able to read
 * theirs.
 */
export async function mergeParts(
  context: LoadContext,
  { source, base, parts }: SourceLoad,
): Promise<LoadedSource> {
  const { connection, staging } = context;
  const { columns } = base ?? source;
  const files = parts.map(
    ({ file: path }) => ({ path, format: 'parquet', compression: 'none' }) as const,
  );
  const bytes = estimateBytes(files);
  await withParts(connection, { source: source.name, parts }, (rowsIn) => {
    const query = `select * from (${rowsIn(columns).join(' union all ')})`;
    return writeSorted(connection, { name: source.name, query, bytes, staging });
  });
  await writeNewest(context, { ...source, columns });
  return { schema: base ?? source, contents: noContents, files: [] };
}
