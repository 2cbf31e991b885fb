import { statSync } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { SourceSchema } from '../../types/schema.js';
import type { FieldNames } from '../columns/shape.js';
import { cutSlice } from '../files/cut-slice.js';
import type { LogFile } from '../files/files.js';
import { lineLimits, lineOptions, readLines } from '../files/line-reader.js';
import { mapLines } from '../files/map-lines.js';
import { chooseText } from '../files/recognize-shape.js';
import { writeRows } from '../parquet/parquet.js';
import { lineTooLong, type Scanned, scanLines } from '../scan/scan-lines.js';
import { isDiskFull } from './failure.js';
import { makePlain, mendFile, trimPacked } from './plain-file.js';
import type { Meter } from './progress.js';
import type { FileReport } from './report.js';
import type { NewestContext } from './write-newest.js';
import { isOutOfMemory, type Staging } from './write-sorted.js';

/** A file that has been read once to determine its contents. */
export interface OpenFile extends Scanned {
  readonly file: LogFile;
  /** The options of {@link readLines}. */
  readonly options: string;
  /** A fault of the file as a whole. */
  readonly note?: string;
}

/** A connection with the loader's macros and the database attached as `out`. */
export interface LoadContext extends NewestContext {
  /** Returns a new path for a copy of a log file on each call, in a temporary folder. */
  readonly newCopyPath: () => string;
  /** The maximum number of undeclared fields of a source that get types. */
  readonly maxFields: number;
  readonly meter: Meter;
  readonly staging: Staging;
}

/** The file to open. */
export interface Opening {
  readonly file: LogFile;
  readonly source: SourceSchema;
  /** The fields that already have types. */
  readonly typed: FieldNames;
}

/**
 * Reads a file once to determine its contents; returns a report if it cannot be read.
 * @throws an error of DuckDB if there is not enough memory
 */
export async function openFile(
  context: LoadContext,
  opening: Opening,
): Promise<OpenFile | FileReport> {
  const broken = await findFileFault(opening.file);
  if (broken !== undefined) return unreadable(opening.file, broken);
  const file = await cutSlice(withTime(opening.file), context.newCopyPath);
  const opened = await openCut(context, { ...opening, file });
  if ('options' in opened || file.format === 'parquet') return opened;
  const trimmed = await trimPacked(context.newCopyPath, file);
  if (trimmed === undefined) return opened;
  const again = await openCut(context, { ...opening, file: trimmed.file });
  const { message } = trimmed;
  return 'options' in again && message !== undefined ? { ...again, note: message } : again;
}

/** Adds details that copies of the file would not show: its time, and the shape of its text. */
function withTime(file: LogFile): LogFile {
  const { mapping } = file;
  const text = chooseText(file);
  if (mapping === undefined || !(text ?? mapping.takesFileTime)) return file;
  const writtenMs = statSync(file.path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return { ...file, writtenMs, mapping: { ...mapping, ...(text && { text }) } };
}

async function openCut(context: LoadContext, opening: Opening): Promise<OpenFile | FileReport> {
  const { file } = opening;
  try {
    const plain = { ...opening, file: await makePlain(context.newCopyPath, file) };
    return await openText(context, { ...opening, file: await mapFile(context, plain) });
  } catch (error) {
    // Our own limits say nothing about the file.
    if (isOutOfMemory(error) || isDiskFull(error)) throw error;
    return unreadable(file, fileFault(error).replaceAll(resolve(file.path), file.name));
  }
}

/**
 * Maps the records of a file to lines with the columns of its source, in a temporary file; returns a file of lines
 * without a mapping unchanged.
 * @throws an error of DuckDB, zlib or the system if the file cannot be read
 */
async function mapFile(
  { connection, newCopyPath }: LoadContext,
  { file, source: { columns } }: Opening,
): Promise<LogFile> {
  const { mapping } = file;
  const isParquet = file.format === 'parquet';
  const plain = { ...file, format: 'lines', compression: 'none' } as const;
  const lines = isParquet ? { ...plain, path: newCopyPath() } : file;
  const declared = mapping === undefined ? columns : [];
  if (isParquet) await writeRows(connection, file, { path: lines.path, declared });
  if (mapping === undefined) return lines;
  const path = newCopyPath();
  // Parquet times without a zone are in UTC.
  const { timezone: _, ...inUtc } = mapping;
  const takesFileTime = await mapLines(lines, isParquet ? inUtc : mapping, path);
  if (isParquet) await rm(lines.path);
  return { ...plain, path, ...(takesFileTime && { takesFileTime }) };
}

async function openText(context: LoadContext, opening: Opening): Promise<OpenFile> {
  const { file, typed } = opening;
  const scanned = await scanLines({ file, typed, onRead: context.meter.read });
  if (scanned.needsMending) {
    return openText(context, { ...opening, file: await mendFile(context.newCopyPath, file) });
  }
  const maxLineBytes = Math.max(lineLimits.min, 2 * scanned.longest);
  const options = lineOptions(file, maxLineBytes);
  if (maxLineBytes > lineLimits.usual) {
    const query = `select count(json) from (${readLines([file], options)})`;
    await context.connection.run(query).catch(() => {
      // There is too little memory for DuckDB's buffers.
      throw new Error(lineTooLong);
    });
  }
  return { ...scanned, file, options };
}

/** Returns why a file cannot be opened, or undefined. */
async function findFileFault({ path }: LogFile): Promise<string | undefined> {
  try {
    // Opening a pipe would block until another process writes to it.
    if (!(await stat(path)).isFile()) return 'not a regular file';
    await (await open(path)).close();
    return undefined;
  } catch (error) {
    return fileFault(error);
  }
}

/** Describes an error of zlib or the system without the file's path. */
function fileFault(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'Z_BUF_ERROR') return 'the gzip file ends too early';
  if (code.startsWith('Z_')) return `not a valid gzip file (${error.message})`;
  return code === '' ? (error.message.split('\n')[0] ?? '') : `cannot be read (${code})`;
}

function unreadable({ source, name }: LogFile, message: string): FileReport {
  const faults = [{ file: name, message }];
  const counts = { records: 0, badLines: 0, badFields: 0 };
  return { source, file: name, ...counts, faults, readable: false };
}
