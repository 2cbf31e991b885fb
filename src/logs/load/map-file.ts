import { rm } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Field } from '../../types/types.js';
import type { LogFile } from '../files/files.js';
import { mapLines } from '../files/map-lines.js';
import { writeRows } from '../parquet/parquet.js';
import type { Mapping } from '../shapes/mapping.js';

/** The parts of a load that mapping needs. */
export interface MapContext {
  readonly connection: DuckDBConnection;
  readonly newCopyPath: () => string;
}

/**
 * Maps the records of a file to lines with the columns of its source, in a temporary file; returns a file of lines
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
  // Parquet times without a zone are in UTC.
  const { timezone: _, ...inUtc } = mapping;
  const mapped = { ...plain, ...(await mapTo(path, lines, inUtc)) };
  await rm(lines.path);
  return mapped;
}

async function mapTo(path: string, file: LogFile, mapping: Mapping): Promise<Partial<LogFile>> {
  const takesFileTime = await mapLines(file, mapping, path);
  return takesFileTime ? { takesFileTime } : {};
}
