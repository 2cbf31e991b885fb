import type { DuckDBConnection } from '@duckdb/node-api';
import { findFaults } from './load-faults.js';
import type { LogFile } from './load-file.js';
import { type LoadContext, type OpenFile, openFile } from './load-open.js';
import { hasSpellings, listLeftOut } from './load-plan.js';
import { findPresence } from './load-presence.js';
import type { FileReport } from './load-report.js';
import { emptyShape, readShape, type Shape } from './load-shape.js';
import { type WrittenTable, writeTable } from './load-table.js';
import { schemaField } from './load-type.js';
import type { SourceSchema } from './schema.js';

/** The table of a source that was written, and from what. */
export interface LoadedSource {
  readonly schema: SourceSchema;
  readonly files: readonly FileReport[];
  readonly warnings: readonly string[];
}

/** Writes the table of one source. */
export async function loadSource(
  context: LoadContext,
  source: SourceSchema,
  files: readonly LogFile[],
): Promise<LoadedSource> {
  const { connection, meter } = context;
  const found = emptyShape();
  const opened: (OpenFile | FileReport)[] = [];
  for (const file of files) {
    opened.push(await openFile(context, { file, source, shape: found }));
    meter.fileRead(file);
  }
  const open = opened.filter((each) => 'reader' in each);
  const inOrder = open.every((each) => each.unscanned === undefined);
  const shape = hasSpellings(found) && !inOrder ? await readInOrder(connection, open) : found;
  const table = await meter.write(connection, files, () =>
    writeTable(connection, { source, shape, open }),
  );
  const reports: FileReport[] = [];
  for (const each of opened) {
    reports.push('reader' in each ? await reportFile(connection, each, table) : each);
  }
  const columns = table.fields.map((field) => schemaField(field, '', table.lists));
  const warnings = listLeftOut(shape).map((line) => `${source.name}: ${line}`);
  const schema = await findPresence(connection, { name: source.name, columns });
  return { schema, files: reports, warnings };
}

/** Of several spellings the first counts, so that lines must be read in order. */
async function readInOrder(
  connection: DuckDBConnection,
  open: readonly OpenFile[],
): Promise<Shape> {
  const shape = emptyShape();
  for (const { reader } of open) await readShape(connection, reader.numbered, shape);
  return shape;
}

async function reportFile(
  connection: DuckDBConnection,
  open: OpenFile,
  table: WrittenTable,
): Promise<FileReport> {
  const { source, name } = open.reader.file;
  const { objects, bad } = open.counts;
  const counts = [...(table.findings.get(open) ?? [])].filter(([text]) => text.startsWith('B'));
  const badFields = counts.reduce((sum, [, count]) => sum + count, 0);
  const { faults, unreadableTimes } = await findFaults(connection, { open, table, badFields });
  const records = objects - unreadableTimes;
  const badLines = bad + unreadableTimes;
  const readable = records > 0 || badLines === 0;
  return { source, file: name, records, badLines, badFields, faults, readable };
}
