import type { FieldPlan } from '../columns/columns.js';
import { columnsQuery } from '../columns/extract.js';
import { schemaField } from '../columns/stored-type.js';
import { findTextFields, quotedNumbers } from '../columns/written-numbers.js';
import { type Lines, readAlike } from '../files/line-reader.js';
import type { RowsIn } from './attach-parts.js';
import type { SourceLoad } from './job.js';
import type { LoadContext, OpenFile } from './open-file.js';
import { estimateBytes, storedFile, writeSorted } from './write-sorted.js';

/** The input of a table. */
interface Writing {
  readonly fields: readonly FieldPlan[];
  readonly open: readonly OpenFile[];
  /** Returns queries over stored parts, whose records are written to the table as well. */
  readonly rowsIn: RowsIn;
}

/** A table that was written. */
export type WrittenTable = Awaited<ReturnType<typeof writeTable>>;

/**
 * Writes a table; returns its number of records. `incomplete` means that some are missing, because their timestamps
 * cannot be read.
 */
export async function writeTable(
  { connection, staging }: LoadContext,
  { source, parts }: SourceLoad,
  { fields, open, rowsIn }: Writing,
) {
  const lines = open.map((each): Lines => {
    return { ...each, json: quotedNumbers('json', findTextFields(fields, each.shape)) };
  });
  const query = [
    columnsQuery(fields, readAlike(lines), source),
    ...rowsIn(fields.map(schemaField)),
  ].join(' union all ');
  const rows = `select * from (${query}) where "timestamp" is not null`;
  const bytes = estimateBytes([...open.map(({ file }) => file), ...parts.map(storedFile)]);
  // Preserving the order of lines takes memory, and the rows are sorted anyway.
  await connection.run('set preserve_insertion_order = false');
  const sorting = { name: source.name, query: rows, bytes, staging };
  const written = await writeSorted(connection, sorting).finally(() =>
    connection.run('set preserve_insertion_order = true'),
  );
  const counts = [...open.map(({ objects }) => objects), ...parts.map((part) => part.records)];
  const expected = counts.reduce((sum, each) => sum + each, 0);
  return { fields, records: written, incomplete: written < expected };
}
