import type { DuckDBConnection } from '@duckdb/node-api';
import { findFaults } from './load-faults.js';
import type { LogFile } from './load-file.js';
import { isStoredAlike } from './load-fit.js';
import { type LoadContext, type OpenFile, openFile } from './load-open.js';
import { hasSpellings, listLeftOut } from './load-plan.js';
import { findPresence } from './load-presence.js';
import type { FileReport } from './load-report.js';
import { addShape, emptyShape, readShape, type Shape } from './load-shape.js';
import { type WrittenTable, writeTable } from './load-table.js';
import { schemaField } from './load-type.js';
import type { SourceSchema } from './schema.js';
import { packShape, type StoredShape, unpackShape } from './stored-shape.js';

/** What the table of one source is made from; plain values. */
export interface SourceLoad {
  /** The source as it is declared. */
  readonly source: SourceSchema;
  /** How its other records are stored already. */
  readonly base?: SourceSchema;
  /** What those hold. */
  readonly shape?: StoredShape | undefined;
  readonly files: readonly LogFile[];
  /** Or else: the database files whose tables of it become one. */
  readonly parts: readonly string[];
}

/** The table of a source that was written, and from what; plain values. */
export interface LoadedSource {
  readonly schema: SourceSchema;
  /** What its records hold, together with those of the base. */
  readonly shape: StoredShape;
  /** Whether the records are stored as those of the base are; else all must be loaded anew. */
  readonly fits: boolean;
  readonly files: readonly FileLoad[];
  readonly warnings: readonly string[];
}

/** What became of a file, and what must be known to go on with it when it has grown. */
export interface FileLoad {
  readonly report: FileReport;
  /** The lines that were read, and those of them that are not blank; absent where it cannot grow. */
  readonly read?: { readonly lines: number; readonly records: number };
  readonly hasMadeIds: boolean;
}

/** Writes the table of one source. */
export async function loadSource(
  context: LoadContext,
  { source, base, shape: before, files }: SourceLoad,
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
  const own = hasSpellings(found) && !inOrder ? await readInOrder(connection, open) : found;
  // As in a load of everything: all records together decide how each is stored.
  const shape = unpackShape(before ?? {});
  addShape(shape, own);
  const table = await meter.write(connection, files, () =>
    writeTable(connection, { source, base, shape, open }),
  );
  const loads: FileLoad[] = [];
  for (const each of opened) {
    const isOpen = 'reader' in each;
    loads.push(
      isOpen ? await loadOf(connection, each, table) : { report: each, hasMadeIds: false },
    );
  }
  const columns = table.fields.map((field) => schemaField(field, '', table.lists));
  const warnings = listLeftOut(shape).map((line) => `${source.name}: ${line}`);
  const schema = await findPresence(connection, { name: source.name, columns }, base);
  const fits = base === undefined || (before !== undefined && isStoredAlike(base, schema));
  return { schema, shape: packShape(shape, table.fields), fits, files: loads, warnings };
}

async function loadOf(
  connection: DuckDBConnection,
  open: OpenFile,
  table: WrittenTable,
): Promise<FileLoad> {
  const { counts, lines } = open;
  const records = counts.objects + counts.bad;
  return {
    report: await reportFile(connection, open, table),
    hasMadeIds: counts.lacksId,
    ...(lines === undefined ? {} : { read: { lines, records } }),
  };
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
