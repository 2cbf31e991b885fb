import { readdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { findFaults } from './load-faults.js';
import type { LogFile } from './load-file.js';
import { lineLimits, openLines } from './load-lines.js';
import { hasSpellings, listLeftOut } from './load-plan.js';
import { findPresence } from './load-presence.js';
import type { FileReport } from './load-report.js';
import { emptyShape, readShape, type Shape } from './load-shape.js';
import { type OpenFile, type WrittenTable, writeTable } from './load-table.js';
import { schemaField } from './load-type.js';
import { findFileFault } from './load-whole.js';
import type { SourceSchema } from './schema.js';

/** The table of a source that was written, and from what. */
export interface LoadedSource {
  readonly schema: SourceSchema;
  readonly files: readonly FileReport[];
  readonly warnings: readonly string[];
}

/** A connection with the loader's macros and the database attached as `out`. */
export interface LoadContext {
  readonly connection: DuckDBConnection;
  /** A folder of our own for links to the files. */
  readonly links: string;
}

/** Writes the table of one source. */
export async function loadSource(
  context: LoadContext,
  source: SourceSchema,
  files: readonly LogFile[],
): Promise<LoadedSource> {
  const { connection } = context;
  const found = emptyShape();
  const opened: (OpenFile | FileReport)[] = [];
  for (const file of files) opened.push(await openFile(context, { file, source, shape: found }));
  const open = opened.filter((each) => 'reader' in each);
  const shape = hasSpellings(found) ? await readInOrder(connection, open) : found;
  const table = await writeTable(connection, { source, shape, open });
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

interface Opening {
  readonly file: LogFile;
  readonly source: SourceSchema;
  readonly shape: Shape;
}

async function openFile(
  { connection, links }: LoadContext,
  { file, source, shape }: Opening,
): Promise<OpenFile | FileReport> {
  const broken = await findFileFault(file);
  if (broken !== undefined) return unreadable(file, broken);
  const link = join(links, `${readdirSync(links).length}`);
  symlinkSync(resolve(file.path), link);
  const look = async (maxLineBytes: number) => {
    const linked = { file, link, maxLineBytes };
    const reader = await openLines(connection, linked, source.columns);
    return {
      linked,
      reader,
      counts: await readShape(connection, `select 0 as n, json from (${reader.plain})`, shape),
    };
  };
  try {
    return await look(lineLimits.usual).catch((error) => {
      if (!String(error).includes('maximum_object_size')) throw error;
      return look(lineLimits.most).catch(() => {
        throw new Error('a line is longer than can be read within the memory limit');
      });
    });
  } catch (error) {
    if (isOutOfMemory(error)) throw error;
    const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
    return unreadable(file, line.replaceAll(link, file.name));
  }
}

/** That is our limit, and no fault of the file. */
function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Out of Memory');
}

function unreadable({ source, name }: LogFile, message: string): FileReport {
  const faults = [{ file: name, message }];
  const counts = { records: 0, badLines: 0, badFields: 0 };
  return { source, file: name, ...counts, faults, readable: false };
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
