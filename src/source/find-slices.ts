import { closeSync, openSync, readSync } from 'node:fs';
import { statOf, wholeLinesEnd } from './file-state.js';
import { findLogFiles, type LogFile } from './load-file.js';
import type { FoundFile, ToLoad } from './plan-changes.js';

/** The files of a data folder as they are now. @throws SetupError as {@link findLogFiles} does */
export function lookAtFiles(dataFolder: string, sources: readonly string[]): readonly FoundFile[] {
  return findLogFiles(dataFolder, sources).map((file) => ({ file, stat: statOfAny(file.path) }));
}

/** What the file system tells of a file; one that cannot be looked at is left to the loader, which says why. */
export function statOfAny(path: string): FoundFile['stat'] {
  try {
    return statOf(path);
  } catch {
    return { size: 0, changedMs: 0, inode: 0 };
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
  if (!isLines(file)) {
    return { file, canGrow: false, wholeBytes: stat.size, takesRest: false };
  }
  const wholeBytes = wholeLinesEnd(file.path, stat.size);
  const takesRest = !awaitsLines && wholeBytes < stat.size;
  const toBytes = takesRest ? stat.size : wholeBytes;
  const isQuiet = nowMs - stat.changedMs > quietMs && !busy.has(file.name);
  const isWhole = from.bytes === 0 && toBytes === stat.size && isQuiet;
  const cut = isWhole ? file : { ...file, slice: { from, toBytes } };
  return { file: cut, canGrow: true, wholeBytes, takesRest };
}

/** Whether a file is lines of text and nothing else, as far as its name and its first bytes tell. */
function isLines({ path, name, format, compression }: LogFile): boolean {
  if (format !== 'lines' || compression !== 'none') return false;
  try {
    return !name.endsWith('.json') || !firstText(path).trimStart().startsWith('[');
  } catch {
    return false;
  }
}

function firstText(path: string): string {
  const fd = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(1024);
    return bytes.toString('latin1', 0, readSync(fd, bytes));
  } finally {
    closeSync(fd);
  }
}
