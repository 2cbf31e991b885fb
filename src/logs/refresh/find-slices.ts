import {
  type FileState,
  firstText,
  hasGrown,
  isSame,
  stateOf,
  statOf,
  wholeLinesEnd,
} from '../files/file-state.js';
import { findLogFiles, type LogFile } from '../files/files.js';
import type { FoundFile, ToLoad } from './plan-changes.js';

/** How often a folder is looked at again in which files are renamed all the time. */
const mostLooks = 5;

/**
 * The files of a data folder as they are at one moment: where one was renamed between the look into
 * the folder and that at the file, it was not seen at all.
 * @throws SetupError as {@link findLogFiles} does
 */
export function lookAtFiles(dataFolder: string, sources: readonly string[]): readonly FoundFile[] {
  let files = findLogFiles(dataFolder, sources);
  for (let looks = 1; ; looks += 1) {
    const found = files.map((file) => ({ file, stat: statOfAny(file.path) }));
    const again = findLogFiles(dataFolder, sources);
    if (looks === mostLooks || namesOf(files) === namesOf(again)) return found;
    files = again;
  }
}

function namesOf(files: readonly LogFile[]): string {
  return JSON.stringify(files.map(({ name }) => name));
}

/** What the file system tells of a file; one that cannot be looked at is left to the loader, which says why. */
export function statOfAny(path: string): FoundFile['stat'] {
  try {
    return statOf(path);
  } catch {
    return { size: 0, changedMs: 0, touchedMs: 0, inode: 0 };
  }
}

/** How a file is loaded. */
export interface Cut {
  readonly file: LogFile;
  /** Whether it is lines of text, so that what is written at its end can be loaded alone. */
  readonly canGrow: boolean;
  /** Where the last line ends that its writer has finished. */
  readonly wholeBytes: number;
  /** Whether a line without an end is loaded too, as one that cannot be read. */
  readonly takesRest: boolean;
  /** The file as it was before it was loaded. */
  readonly state: FileState;
}

/** How slices are cut. */
export interface Cutting {
  /** Whether lines without an end are left to be loaded when they have one. */
  readonly awaitsLines: boolean;
  /** Files that somebody writes to while they are read: a copy is loaded of those. */
  readonly busy: ReadonlySet<string>;
}

/** A file that nobody has written to for so long is read where it stands, in milliseconds. */
const quietMs = 2_000;

/** Which bytes of a file are loaded, and whether of a copy: of a file that grows, no more than was there. */
export function cutFile(
  { file, stat, from }: ToLoad,
  { awaitsLines, busy }: Cutting,
  nowMs: number,
): Cut {
  const wholeBytes = isLines(file) ? wholeBytesOf(file.path, stat.size) : undefined;
  if (wholeBytes === undefined) {
    const state = stateOf(file.path, stat, stat.size);
    return { file, canGrow: false, wholeBytes: stat.size, takesRest: false, state };
  }
  const takesRest = !awaitsLines && wholeBytes < stat.size;
  const toBytes = takesRest ? stat.size : wholeBytes;
  const isQuiet = nowMs - stat.changedMs > quietMs && !busy.has(file.name);
  const isWhole = from.bytes === 0 && toBytes === stat.size && isQuiet;
  const cut = isWhole ? file : { ...file, slice: { from, toBytes } };
  const state = stateOf(file.path, stat, wholeBytes);
  return { file: cut, canGrow: true, wholeBytes, takesRest, state };
}

/** Whether the file that was loaded is still the one of its name, and begins as it did. */
export function isStill({ file, canGrow, state }: Cut): boolean {
  const stat = statOfAny(file.path);
  if (stat.inode !== state.inode) return false;
  return !canGrow || isSame(stat, state) || hasGrown(file.path, stat, state);
}

/** Undefined where the file cannot be read: the loader says why. */
function wholeBytesOf(path: string, size: number): number | undefined {
  try {
    return wholeLinesEnd(path, size);
  } catch {
    return undefined;
  }
}

/** Whether a file is lines of text and nothing else, as far as its name and its first bytes tell. */
function isLines({ path, name, format, compression }: LogFile): boolean {
  if (format !== 'lines' || compression !== 'none') return false;
  try {
    return !name.endsWith('.json') || !firstText(path, 1024).trimStart().startsWith('[');
  } catch {
    return false;
  }
}
