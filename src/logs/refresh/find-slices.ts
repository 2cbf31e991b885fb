import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ignoreErrors } from '../../process/ignore-errors.js';
import { readChunks } from '../files/chunks.js';
import * as fileState from '../files/file-state.js';
import { type FilesLost, findLogFiles, type LogFile, type NamedSource } from '../files/files.js';
import { type Inputs, inputLogFiles } from '../files/inputs.js';
import type { LoadedFile } from '../store/manifest.js';
import type { FoundFile, ToLoad } from './plan-changes.js';

/** The maximum number of times that a folder is listed again while its files are being renamed. */
const maxListings = 5;

/** The places of log files. */
export interface Places {
  readonly declared: readonly NamedSource[];
  /** Absent if there are only files from the command line. */
  readonly dataFolder: string | undefined;
  /** Lists the files that the command line names. @throws SetupError if a folder cannot be read */
  readonly inputs?: () => Inputs;
}

const noInputs: Inputs = { files: [], unread: [] };

/**
 * Finds the files of a data folder, and of the command line, with their status; keeps the files of a folder that
 * cannot be read now. Lists the folder again if the names have changed: it could miss a file that is renamed during
 * the listing.
 * @param before the files that were loaded before
 * @param faults the reasons why some of them cannot be read now, by name
 * @throws SetupError like {@link findLogFiles}
 */
export function findFiles(
  { dataFolder, inputs = () => noInputs, declared }: Places,
  before: readonly LoadedFile[],
  faults: ReadonlyMap<string, string>,
): readonly FoundFile[] {
  const list = () => {
    const named = inputLogFiles(inputs().files, declared);
    const known = new Set(named.map(({ path }) => resolve(path)));
    const own = dataFolder === undefined ? [] : findLogFiles(dataFolder, declared, filesLost);
    return [...own.filter(({ path }) => !known.has(resolve(path))), ...named];
  };
  const lost = new Map<string, FoundFile>();
  const filesLost: FilesLost = (source, folder) => {
    if (dataFolder === undefined) return [];
    const path = join(dataFolder, folder);
    const fault = fileState.accessFault(() => readdirSync(path));
    const own = fault === undefined ? [] : before.filter((file) => file.source === source);
    return own
      .filter(({ name }) => name.startsWith(folder))
      .map(({ state, canGrow: _, unreadable: __, ...known }) => {
        const file = { ...known, path: join(dataFolder, known.name) };
        lost.set(known.name, { file, stat: state, fault });
        return file;
      });
  };
  let files = list();
  for (let listings = 1; ; listings += 1) {
    const found = files.map(
      (file) =>
        lost.get(file.name) ?? { file, stat: statOrZero(file.path), fault: faults.get(file.name) },
    );
    const again = list();
    if (listings === maxListings || fileNamesKey(files) === fileNamesKey(again)) return found;
    files = again;
  }
}

function fileNamesKey(files: readonly LogFile[]): string {
  return JSON.stringify(files.map(({ name }) => name));
}

/** Returns the code of the error, such as `EIO`, if a file cannot be read to its end. */
export async function findReadFault(path: string): Promise<string | undefined> {
  try {
    for await (const _ of readChunks({ path, compression: 'none' }));
    return undefined;
  } catch (error) {
    return fileState.codeOfFault(error);
  }
}

/** The status of a file; all zero if it is not accessible, which the loader reports. */
export function statOrZero(path: string): FoundFile['stat'] {
  return (
    ignoreErrors(() => fileState.getStat(path)) ?? { size: 0, changedMs: 0, touchedMs: 0, inode: 0 }
  );
}

/** The bytes of a file to load. */
export interface Cut {
  readonly file: LogFile;
  /** Whether it consists of lines of text, so that appended lines can be loaded on their own. */
  readonly canGrow: boolean;
  /** The end of the last complete line. */
  readonly wholeBytes: number;
  /** Whether a partial line at the end is loaded too, and counted as bad. */
  readonly includesPartialLine: boolean;
  /** The state of the file before it was loaded. */
  readonly state: fileState.FileState;
}

/** The rules for cutting files. */
export interface Cutting {
  /** Whether to leave a partial line at the end until it is complete. */
  readonly awaitsLines: boolean;
  /** Files that are written to during a load; they are loaded from a copy. */
  readonly busy: ReadonlySet<string>;
}

/** A file that has not been written to for this long is read in place, in milliseconds. */
const quietMs = 2_000;

/** Decides which bytes of a file to load, and whether from a copy: leaves out bytes appended during the load. */
export function cutFile(
  { file, stat, from }: ToLoad,
  { awaitsLines, busy }: Cutting,
  nowMs: number,
): Cut {
  const wholeBytes = loadableEnd({ file, stat });
  if (wholeBytes === undefined) {
    const state = fileState.loadedState(file.path, stat, stat.size);
    return { file, canGrow: false, wholeBytes: stat.size, includesPartialLine: false, state };
  }
  const includesPartialLine = !awaitsLines && wholeBytes < stat.size;
  const toBytes = includesPartialLine ? stat.size : wholeBytes;
  const isQuiet = nowMs - stat.changedMs > quietMs && !busy.has(file.name);
  const isWhole = from.bytes === 0 && toBytes === stat.size && isQuiet;
  const cut = isWhole ? file : { ...file, slice: { from, toBytes } };
  const state = fileState.loadedState(file.path, stat, wholeBytes);
  return { file: cut, canGrow: true, wholeBytes, includesPartialLine, state };
}

/** Whether a file that has grown has more to load than an incomplete line. */
export function hasNewLines(
  { file, stat }: FoundFile,
  { state, canGrow }: Pick<LoadedFile, 'state' | 'canGrow'>,
): boolean {
  const wholeBytes = canGrow ? loadableEnd({ file, stat }) : undefined;
  return wholeBytes === undefined || wholeBytes > state.loadedBytes;
}

/** Whether the name still belongs to the loaded file, and it still begins with the same bytes. */
export function isStillSameFile({ file, canGrow, state }: Cut): boolean {
  const stat = statOrZero(file.path);
  if (stat.inode !== state.inode) return false;
  return (
    !canGrow || fileState.isSameState(stat, state) || fileState.hasGrown(file.path, stat, state)
  );
}

/** Returns the end of the loadable bytes; undefined for a file that is loaded whole, or that cannot be read. */
function loadableEnd({ file, stat }: FoundFile): number | undefined {
  if (!fileState.isLines(file)) return undefined;
  // A line of text may be complete without a line break, if the file has not changed for a while.
  const isDone = file.mapping?.text !== undefined && Date.now() - stat.changedMs > quietMs;
  return isDone ? stat.size : ignoreErrors(() => fileState.wholeLinesEnd(file.path, stat.size));
}
