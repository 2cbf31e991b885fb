import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SetupError } from '../../errors/errors.js';
import { ignoreErrors } from '../../process/ignore-errors.js';
import type { Mapping } from '../shapes/mapping.js';

/** The maximum number of faults to list per file. */
export const maxFileFaults = 5;

/** One file of logs in the data folder. */
export interface LogFile {
  readonly source: string;
  /** The name relative to the data folder, with `/`, or as the command line has it. */
  readonly name: string;
  readonly path: string;
  readonly format: 'lines' | 'parquet';
  readonly compression: 'none' | 'gzip' | 'zstd';
  /** The mapping of its records to those of the source; absent if they have its columns. */
  readonly mapping?: Mapping;
  /** The time at which it was last written, in milliseconds since 1970; absent if its records do not depend on it. */
  readonly writtenMs?: number;
  /** Whether records get that time, because none of a project's records has its own. */
  readonly takesFileTime?: boolean;
  /** The name of its shape, if its content or the command line determined it. */
  readonly shape?: string;
  /** The lines to read; absent for the whole file. */
  readonly slice?: FileSlice;
}

/** A source and the names of its files. */
export interface NamedSource {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** The mapping of its files. */
  readonly mapping?: Mapping;
  /** The mappings of files with a shape in their names, `<source>.<shape>.<suffix>`. */
  readonly shapes?: Readonly<Record<string, Mapping>>;
}

/** A position in a log file: the number of bytes and lines before it. */
export interface Position {
  readonly bytes: number;
  readonly lines: number;
}

/** The beginning of a file. */
export const fileStart: Position = { bytes: 0, lines: 0 };

/** Whole lines of a file, from one position to another. */
export interface FileSlice {
  readonly from: Position;
  readonly toBytes: number;
}

/** Returns the files that a source's folder, whose path ends with `/`, had when it could last be read. */
export type FilesLost = (source: string, folder: string) => readonly LogFile[];

/**
 * Finds the files of each source, sorted by name: `<source>.<suffix>`, and files with such a suffix in the folder
 * `<source>/`. A file may use an alias of its source, and a shape may follow the name.
 * @throws SetupError if the data folder does not exist or cannot be read, or if another folder cannot be read and its
 * lost files are unknown
 */
export function findLogFiles(
  dataFolder: string,
  sources: readonly NamedSource[],
  filesLost: FilesLost = () => [],
): readonly LogFile[] {
  const entries = listFolder(dataFolder);
  return sources.flatMap((source) => {
    const toFiles = (stem: string, entry: Dirent, name = entry.name): readonly LogFile[] => {
      const mapping = stemMapping(source, stem);
      if (mapping === false || formatSuffix(name) === undefined) return [];
      const path = join(dataFolder, name);
      if (isFolder(entry, path)) return [];
      if (needsShape(name) && mapping === undefined) return [];
      const kind = fileKind(unrotated(name));
      return [{ source: source.name, name, path, ...kind, ...(mapping && { mapping }) }];
    };
    return [
      ...entries.flatMap((entry) => toFiles(fileStem(entry.name), entry)),
      ...entries.flatMap((folder) => {
        if (stemMapping(source, asNamed(folder.name)) === false) return [];
        const path = join(dataFolder, folder.name);
        if (!isFolder(folder, path)) return [];
        const listed = listIfReadable(path);
        const lost = listed === undefined ? filesLost(source.name, `${folder.name}/`) : [];
        if (lost.length > 0) return lost;
        return (listed ?? listFolder(path)).flatMap((entry) =>
          toFiles(asNamed(folder.name), entry, `${folder.name}/${entry.name}`),
        );
      }),
    ];
  });
}

/** Returns the mapping of a source's file by its name without the suffix; false if it is not a file of the source. */
function stemMapping(source: NamedSource, stem: string): Mapping | undefined | false {
  const { name, aliases = [], mapping, shapes = {} } = source;
  const isOwn = (each: string) =>
    stem.startsWith(each) && (stem.length === each.length || stem[each.length] === '.');
  const own = isOwn(name) ? name : aliases.find(isOwn);
  if (own === undefined || stem === own) return own !== undefined && mapping;
  const shape = stem.slice(own.length + 1);
  return Object.hasOwn(shapes, shape) && shapes[shape];
}

/**
 * Returns the name of a file without its suffix, with its first part spelled like a source: `edge_logs` for
 * `edge-logs`.
 */
export function fileStem(name: string): string {
  const plain = unrotated(name);
  return asNamed(plain.slice(0, plain.length - (formatSuffix(plain)?.length ?? 0)));
}

/** Spells the first part of a name like the name of a source: `edge-logs.pino` -> `edge_logs.pino`. */
function asNamed(stem: string): string {
  return stem.replace(/^[^.]+/, (source) => source.replaceAll(/\W/g, '_'));
}

/** Returns the shape in the name of a file, such as `pino` in `api.pino.ndjson` and `api.pino/1.ndjson`. */
export function shapeIn(name: string): string | undefined {
  const [folder = '', file] = name.split('/');
  return (file === undefined ? fileStem(folder) : folder).split('.')[1];
}

const problems: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  ENOTDIR: 'is a file; name the folder that it is in',
};

/**
 * The entries of a folder, sorted by name.
 * @throws SetupError if it does not exist or cannot be read
 */
export function listFolder(folder: string): readonly Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : error;
    const problem = problems[String(code)] ?? `cannot be read (${code})`;
    throw new SetupError([`data folder ${folder}: ${problem}`]);
  }
}

/** Lists a folder like {@link listFolder}; undefined if it cannot be read. */
export function listIfReadable(folder: string): readonly Dirent[] | undefined {
  return ignoreErrors(() => listFolder(folder));
}

/**
 * Whether files with this name are read only if their source or their name gives their shape, because the suffix does
 * not.
 */
export function needsShape(name: string): boolean {
  return formatSuffix(name)?.startsWith('.log') === true;
}

const suffix = /\.(?:(?:ndjson|jsonl|json|log)(?:\.gz|\.zst)?|parquet)$/;

/** Returns the suffix of a supported format, such as `.ndjson.gz`; undefined if there is none. */
export function formatSuffix(name: string): string | undefined {
  return suffix.exec(unrotated(name))?.[0];
}

/** Returns the format and the compression of a file, by the end of its name. */
export function fileKind(name: string): Pick<LogFile, 'format' | 'compression'> {
  const [, packed = ''] = /\.(gz|zst)$/.exec(name) ?? [];
  const compression = ({ gz: 'gzip', zst: 'zstd' } as const)[packed] ?? 'none';
  return { format: name.endsWith('.parquet') ? 'parquet' : 'lines', compression };
}

/** Returns the name before rotation: `access.log.2.gz` -> `access.log.gz`. */
function unrotated(name: string): string {
  return name.replace(/\.\d+(?=(?:\.gz|\.zst)?$)/, '');
}

/** False for a link that cannot be resolved, such as one in a cycle. */
export function isFolder(entry: Dirent, path: string): boolean {
  if (!entry.isSymbolicLink()) return entry.isDirectory();
  return ignoreErrors(() => statSync(path).isDirectory()) ?? false;
}
