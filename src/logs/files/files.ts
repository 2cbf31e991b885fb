import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from '../../errors/errors.js';

/** One file of logs in the data folder. */
export interface LogFile {
  readonly source: string;
  /** The name relative to the data folder, with `/`. */
  readonly name: string;
  readonly path: string;
  readonly format: 'lines' | 'parquet';
  readonly compression: 'none' | 'gzip' | 'zstd';
  /** The lines to read; absent for the whole file. */
  readonly slice?: FileSlice;
}

/** A position in a log file: the number of bytes, lines and records before it. */
export interface Position {
  readonly bytes: number;
  readonly lines: number;
  /** Lines that are not blank. */
  readonly records: number;
}

/** The beginning of a file. */
export const fileStart: Position = { bytes: 0, lines: 0, records: 0 };

/** Whole lines of a file, from one position to another. */
export interface FileSlice {
  readonly from: Position;
  readonly toBytes: number;
}

const suffixes: Readonly<Record<string, Pick<LogFile, 'format' | 'compression'>>> = {
  '.ndjson': { format: 'lines', compression: 'none' },
  '.jsonl': { format: 'lines', compression: 'none' },
  '.json': { format: 'lines', compression: 'none' },
  '.ndjson.gz': { format: 'lines', compression: 'gzip' },
  '.jsonl.gz': { format: 'lines', compression: 'gzip' },
  '.json.gz': { format: 'lines', compression: 'gzip' },
  '.ndjson.zst': { format: 'lines', compression: 'zstd' },
  '.jsonl.zst': { format: 'lines', compression: 'zstd' },
  '.json.zst': { format: 'lines', compression: 'zstd' },
  '.parquet': { format: 'parquet', compression: 'none' },
};

/**
 * Finds the files of each source, sorted by name: `<source>.<suffix>`, and files with such a suffix in
 * the folder `<source>/`.
 * @throws SetupError if the data folder does not exist or cannot be read
 */
export function findLogFiles(dataFolder: string, sources: readonly string[]): readonly LogFile[] {
  const entries = list(dataFolder);
  return sources.flatMap((source) => {
    const single = entries.filter(({ name }) => suffixOf(name) === name.slice(source.length));
    const own = single.filter(({ name }) => name.startsWith(source));
    const inner = entries
      .filter((entry) => entry.name === source && isFolder(entry, join(dataFolder, source)))
      .flatMap(() => list(join(dataFolder, source)));
    return [
      ...own.flatMap((entry) => toLogFile(entry, { dataFolder, source, name: entry.name })),
      ...inner.flatMap((entry) =>
        toLogFile(entry, { dataFolder, source, name: `${source}/${entry.name}` }),
      ),
    ];
  });
}

function list(folder: string): readonly Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const problem = code === 'ENOENT' ? 'there is no such folder' : `cannot be read (${code})`;
    throw new SetupError([`data folder ${folder}: ${problem}`]);
  }
}

function suffixOf(name: string): string | undefined {
  const matches = Object.keys(suffixes).filter((suffix) => name.endsWith(suffix));
  return matches.sort((one, other) => other.length - one.length)[0];
}

interface Named {
  readonly dataFolder: string;
  readonly source: string;
  readonly name: string;
}

function toLogFile(entry: Dirent, { dataFolder, source, name }: Named): readonly LogFile[] {
  const path = join(dataFolder, name);
  const kind = suffixes[suffixOf(name) ?? ''];
  return kind === undefined || isFolder(entry, path) ? [] : [{ source, name, path, ...kind }];
}

/** False for a link that cannot be resolved, such as one in a cycle. */
function isFolder(entry: Dirent, path: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
