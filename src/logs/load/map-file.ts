import { rm } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Field } from '../../types/types.js';
import type { LogFile } from '../files/files.js';
import { mapLines } from '../files/map-lines.js';
import { writeRows } from '../parquet/parquet.js';
import type { Mapping } from '../shapes/mapping.js';

/** What mapping needs of a load. */
export interface MapContext {
  readonly connection: DuckDBConnection;
  readonly newCopyPath: () => string;
}

/**
 * Writes the records of a file as lines with the columns of its source to a file of our own; returns a file of lines
 * without a mapping unchanged.
 * @throws an error of DuckDB, zlib or the system if the file cannot be read
 */
export async function mapFile(
  context: MapContext,
  file: LogFile,
  declared: readonly Field[],
): Promise<LogFile> {
  const { mapping } = file;
  const path = context.newCopyPath();
  const plain = { ...file, path, format: 'lines', compression: 'none' } as const;
  if (file.format === 'lines') {
    return mapping === undefined ? file : { ...plain, ...(await mapTo(path, file, mapping)) };
  }
  if (mapping === undefined) {
    await writeRows(context.connection, file, { path, declared });
    return plain;
  }
  const lines = { ...plain, path: context.newCopyPath() };
  await writeRows(context.connection, file, { path: lines.path, declared: [] });
  // A time of Parquet without a zone is UTC.
  const { timezone: _, ...inUtc } = mapping;
  const mapped = { ...plain, ...(await mapTo(path, lines, inUtc)) };
  await rm(lines.path);
  return mapped;
}

async function mapTo(path: string, file: LogFile, mapping: Mapping): Promise<Partial<LogFile>> {
  const takesFileTime = await mapLines(file, mapping, path);
  return takesFileTime ? { takesFileTime } : {};
}
