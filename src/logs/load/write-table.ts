import type { DuckDBConnection } from '@duckdb/node-api';
import type { SourceSchema } from '../../types/schema.js';
import { type FieldPlan, planFields } from '../columns/columns.js';
import { columnsQuery } from '../columns/extract.js';
import { inOrderOf, readAsLists } from '../columns/fit.js';
import type { MadeIds } from '../columns/made-id.js';
import type { Shape } from '../columns/shape.js';
import { schemaField } from '../columns/stored-type.js';
import { findTextFields, quotedNumbers } from '../columns/written-numbers.js';
import { type Lines, readAlike } from '../files/line-reader.js';
import { findListPaths } from '../scan/list-paths.js';
import type { RowsIn } from './attach-parts.js';
import type { CarriedRecords } from './job.js';
import type { OpenFile } from './open-file.js';
import { estimateBytes, type Staging, writeSorted } from './write-sorted.js';

/** The input of a table. */
export interface Writing {
  readonly source: SourceSchema;
  /** The schema of the records that are already stored. */
  readonly base?: SourceSchema | undefined;
  /** The paths of its records that are stored as lists. */
  readonly knownLists: readonly string[];
  readonly shape: Shape;
  readonly open: readonly OpenFile[];
  readonly staging: Staging;
  /** Stored records to write as well. */
  readonly carried?: Pick<CarriedRecords, 'records'> & { readonly rowsIn: RowsIn };
}

/** A table that was written. */
export type WrittenTable = Awaited<ReturnType<typeof writeTable>>;

/**
 * Writes a table. In the result, `ownLists` are the lists that the files of this load require; `incomplete` means
 * that records are missing because their timestamps cannot be read.
 */
export async function writeTable(connection: DuckDBConnection, writing: Writing) {
  const { source, base, knownLists, shape, open, staging, carried } = writing;
  const known = new Set(knownLists);
  const found = planFields(source.columns, shape);
  const planned = inOrderOf(found, base?.columns ?? []);
  const fields = readAsLists(planned, known);
  const several = new Set(open.flatMap(({ counts }) => counts.several));
  const ownLists = [...new Set(findListPaths(fields, several))];
  const lists = new Set([...known, ...ownLists]);
  const columns = fields.map((field) => schemaField(field, '', lists));
  const query = [
    rowsQuery(fields, open, { source, lists }),
    ...(carried?.rowsIn(columns) ?? []),
  ].join(' union all ');
  const rows = `select * from (${query}) where "timestamp" is not null`;
  const bytes = estimateBytes(open.map(({ reader }) => reader.file));
  // Preserving the order of lines takes memory, and the rows are sorted anyway.
  await connection.run('set preserve_insertion_order = false');
  const sorting = { name: source.name, query: rows, bytes, staging };
  const written = await writeSorted(connection, sorting).finally(() =>
    connection.run('set preserve_insertion_order = true'),
  );
  const expected = open.reduce((sum, { counts }) => sum + counts.objects, carried?.records ?? 0);
  return { fields, lists, ownLists, incomplete: written < expected };
}

function rowsQuery(fields: readonly FieldPlan[], open: readonly OpenFile[], made: MadeIds): string {
  const lines = open.map(({ reader, counts, shape }): Lines => {
    const shallow = counts.tooDeep ? 'case when not log_deep(json) then json end' : 'json';
    return { reader, json: quotedNumbers(shallow, findTextFields(fields, shape)) };
  });
  return columnsQuery(fields, readAlike(lines), made);
}
