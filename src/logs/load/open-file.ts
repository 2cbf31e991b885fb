import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { SourceSchema } from '../../types/schema.js';
import type { FieldNames, LineCounts, Shape } from '../columns/shape.js';
import { cutSlice } from '../files/cut-slice.js';
import { fileFault, findFileFault } from '../files/file-fault.js';
import type { LogFile } from '../files/files.js';
import { type LineReader, lineLimits, readLines, readText } from '../files/line-reader.js';
import { chooseText } from '../files/recognize-shape.js';
import { lineTooLong, scanLines } from '../scan/scan-lines.js';
import { isDiskFull } from './failure.js';
import { mapFile } from './map-file.js';
import { makePlain, mendFile, trimPacked } from './plain-file.js';
import type { Meter } from './progress.js';
import type { FileReport } from './report.js';
import type { NewestContext } from './write-newest.js';
import { isOutOfMemory, type Staging } from './write-sorted.js';

/** A file that has been read once to determine its contents. */
export interface OpenFile {
  readonly reader: LineReader;
  /** The shape of its records. */
  readonly shape: Shape;
  readonly counts: LineCounts;
  /** The number of lines read, including blank ones; absent if the file cannot grow. */
  readonly lines?: number;
  /** A fault of the file as a whole. */
  readonly note?: string;
}

/** A connection with the loader's macros and the database attached as `out`. */
export interface LoadContext extends NewestContext {
  /** Returns a new path for a copy of a log file on each call, in a temporary folder. */
  readonly newCopyPath: () => string;
  /** How many undeclared fields of a source get types. */
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
  if ('reader' in opened || file.format === 'parquet') return opened;
  const trimmed = await trimPacked(context.newCopyPath, file);
  if (trimmed === undefined) return opened;
  const again = await openCut(context, { ...opening, file: trimmed.file });
  const { message } = trimmed;
  return 'reader' in again && message !== undefined ? { ...again, note: message } : again;
}

/** Adds to a file what its copies do not show: its time, and how to read its text. */
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
    const { columns } = opening.source;
    const plain = await mapFile(context, await makePlain(context.newCopyPath, file), columns);
    return await openText(context, { ...opening, file: plain });
  } catch (error) {
    // Our own limits say nothing about the file.
    if (isOutOfMemory(error) || isDiskFull(error)) throw error;
    return unreadable(file, fileFault(error).replaceAll(resolve(file.path), file.name));
  }
}

async function openText(context: LoadContext, opening: Opening): Promise<OpenFile> {
  const { file, typed } = opening;
  const scanned = await scanLines({ file, typed, onRead: context.meter.read });
  const { shape, longest, lines, needsMending, ...counts } = scanned;
  if (needsMending) {
    return openText(context, { ...opening, file: await mendFile(context.newCopyPath, file) });
  }
  const maxLineBytes = Math.max(lineLimits.min, 2 * longest);
  const reader = readText(file, maxLineBytes);
  if (maxLineBytes > lineLimits.usual) {
    const query = `select count(json) from (${readLines([file], reader.options)})`;
    await context.connection.run(query).catch(() => {
      // There is too little memory for DuckDB's buffers.
      throw new Error(lineTooLong);
    });
  }
  return { reader, shape, counts, ...(file.compression === 'none' && { lines }) };
}

function unreadable({ source, name }: LogFile, message: string): FileReport {
  const faults = [{ file: name, message }];
  const counts = { records: 0, badLines: 0, badFields: 0 };
  return { source, file: name, ...counts, faults, readable: false };
}
