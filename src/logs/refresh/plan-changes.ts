import { type FileStat, isSameState } from '../files/file-state.js';
import { fileStart, type LogFile, type Position, shapeIn } from '../files/files.js';
import type { LoadedFile, Manifest, Slice, StoredPart } from '../store/manifest.js';
import { filesRead } from '../store/manifest.js';
import { isTiny, withSlices } from './drop-parts.js';

/** A log file that was found in the data folder. */
export interface FoundFile {
  readonly file: LogFile;
  readonly stat: FileStat;
  /** The reason why it cannot be read now, if that is known. */
  readonly fault?: string | undefined;
}

/** A file to load from a position to its end. */
export interface ToLoad extends FoundFile {
  readonly from: Position;
}

/** The changes that bring the store up to date with the files. */
export interface Changes {
  /** Parts that stay, with the current names of their files. */
  readonly kept: readonly StoredPart[];
  /** Parts whose records are written to new ones, because their files cannot be read. */
  readonly carried?: readonly StoredPart[];
  readonly load: readonly ToLoad[];
  /** Files from which nothing needs to be loaded, with their current names. */
  readonly same: readonly LoadedFile[];
}

/** Returns why a file cannot be read now, such as `EACCES`; undefined if it can. */
export type FindFault = (found: FoundFile) => string | undefined;

/** Whether a file still begins with the bytes that were loaded from it; may read the file. */
export type HasGrown = (found: FoundFile, before: LoadedFile) => boolean;

/** The checks of files that a plan needs; both may read them. */
export interface FileChecks {
  /** By default, all files are readable. */
  readonly findFault?: FindFault;
  /** Whether a file that has grown has more to load than an incomplete line; by default, always. */
  readonly hasNewLines?: HasGrown;
}

/**
 * Compares the store with the files in the data folder. A file is recognized by its inode, so it may be renamed, or
 * by name, size and time, so the folder may be copied. If it has grown, only its end is loaded. A part with records
 * of a removed or changed file is dropped, and its other files are loaded from the end of their kept slices. A file
 * that cannot be read now keeps its records, and so do files that share a part with it.
 */
export function planChanges(
  before: Manifest,
  found: readonly FoundFile[],
  hasGrown: HasGrown,
  { findFault = () => undefined, hasNewLines = () => true }: FileChecks = {},
): Changes {
  const recognized = recognize(before.files, found, hasGrown);
  const known = new Map([...recognized, ...findUnreadable(before, found, recognized, findFault)]);
  const changed = found.filter((each) => {
    const loaded = known.get(each);
    if (loaded?.unreadable !== undefined) return false;
    return (
      loaded === undefined || (!isSameState(each.stat, loaded.state) && hasNewLines(each, loaded))
    );
  });
  const toLoad = new Set(changed);
  const kept = partsToKeep(before.parts, found, known, toLoad);
  const [ends, keptEnds] = [endsIn(before.parts), endsIn(kept)];
  const load = found.flatMap((each): readonly ToLoad[] => {
    const name = known.get(each)?.name ?? '';
    const from = keptEnds.get(name) ?? fileStart;
    const end = ends.get(name) ?? fileStart;
    const isDropped = ends.has(name) && !keptEnds.has(name);
    return toLoad.has(each) || isDropped || from.bytes < end.bytes ? [{ ...each, from }] : [];
  });
  const loading = new Set(load.map(({ file }) => file.name));
  const same = [...known]
    .filter(([{ file }]) => !loading.has(file.name))
    .map(([{ file, stat }, loaded]) => ({
      ...loaded,
      name: file.name,
      // The state when it was last readable decides later what has changed.
      state: loaded.unreadable === undefined ? { ...loaded.state, ...stat } : loaded.state,
    }));
  const names = new Map([...known].map(([{ file }, { name }]) => [name, file.name]));
  return { kept: kept.map((part) => renamed(part, names)), load, same };
}

/**
 * Returns the parts whose files are all present, without the tiny parts of sources that get new records; also the
 * parts whose files cannot be read again.
 * @param known maps each file found to its loaded file
 */
function partsToKeep(
  parts: readonly StoredPart[],
  found: readonly FoundFile[],
  known: ReadonlyMap<FoundFile, LoadedFile>,
  toLoad: ReadonlySet<FoundFile>,
): readonly StoredPart[] {
  const present = changedNames([...known.values()]);
  const unreadable = changedNames([...known.values()].filter((file) => file.unreadable));
  const isUnreadable = ({ file }: Slice) => unreadable.has(file);
  const fixed = withSlices('earlier', parts, ({ slices }) => slices.some(isUnreadable));
  const free = parts.filter((part) => !fixed.has(part));
  const isGone = ({ file }: Slice) => !present.has(file);
  const incomplete = withSlices('later', free, ({ slices }) => slices.some(isGone));
  const broken = new Set([...incomplete].flatMap(({ slices }) => slices.map(({ file }) => file)));
  const isGrowing = (each: FoundFile) => toLoad.has(each) || broken.has(known.get(each)?.name);
  const growing = new Set(found.filter(isGrowing).map(({ file }) => file.source));
  const isDropped = (part: StoredPart) =>
    incomplete.has(part) || (growing.has(part.source) && isTiny(part));
  const dropped = withSlices('later', free, isDropped);
  return parts.filter((part) => !dropped.has(part));
}

/** Returns the names of some files, to test whether another file is one of them. */
export function changedNames(files: readonly LoadedFile[]): ReadonlySet<string | undefined> {
  return new Set(files.map(({ name }) => name));
}

/** Matches the unreadable files found with their loaded files. */
function findUnreadable(
  before: Manifest,
  found: readonly FoundFile[],
  recognized: ReadonlyMap<FoundFile, LoadedFile>,
  findFault: FindFault,
): ReadonlyMap<FoundFile, LoadedFile> {
  const taken = changedNames([...recognized.values()]);
  const left = filesRead(before).filter(({ name }) => !taken.has(name));
  const unknown = found.filter((each) => !recognized.has(each));
  return matchFiles(left, unknown, [isUnmoved, isMoved, isReplaced], (each, match) => {
    const unreadable = each.fault ?? findFault(each);
    return unreadable === undefined ? undefined : { ...match, unreadable };
  });
}

/** Matches each file found with its loaded file. */
function recognize(
  loaded: readonly LoadedFile[],
  found: readonly FoundFile[],
  hasGrown: HasGrown,
): ReadonlyMap<FoundFile, LoadedFile> {
  const readable = found.filter(({ fault }) => fault === undefined);
  return matchFiles(loaded, readable, [isUnmoved, isCopy, isRenamed], (each, match) => {
    const { unreadable: _, ...file } = match;
    return isUnchanged(each, match, hasGrown) ? file : undefined;
  });
}

type IsMatch = (found: FoundFile, loaded: LoadedFile) => boolean;

/** Matches files with loaded files of the same name or inode, each at most once; earlier matchers take precedence. */
function matchFiles(
  loaded: readonly LoadedFile[],
  found: readonly FoundFile[],
  matchers: readonly IsMatch[],
  accept: (found: FoundFile, match: LoadedFile) => LoadedFile | undefined,
): ReadonlyMap<FoundFile, LoadedFile> {
  const known = new Map<FoundFile, LoadedFile>();
  const left = new Set(loaded);
  const byName = new Map(loaded.map((before) => [before.name, before]));
  const byInode = new Map(loaded.map((before) => [before.state.inode, before]));
  for (const isMatch of matchers) {
    for (const each of found.filter((one) => !known.has(one))) {
      const match = [byName.get(each.file.name), byInode.get(each.stat.inode)].find(
        (one) => one !== undefined && left.has(one) && isMatch(each, one),
      );
      const accepted = match && accept(each, match);
      if (match === undefined || accepted === undefined) continue;
      known.set(each, accepted);
      left.delete(match);
    }
  }
  return known;
}

function isUnmoved({ file, stat }: FoundFile, { name, state }: LoadedFile): boolean {
  return file.name === name && stat.inode === state.inode;
}

function isCopy({ file, stat }: FoundFile, { name, state }: LoadedFile): boolean {
  return file.name === name && isSameState(stat, state);
}

function isReplaced({ file, stat }: FoundFile, { name, state }: LoadedFile): boolean {
  return file.name === name && stat.inode !== state.inode;
}

function isMoved(found: FoundFile, loaded: LoadedFile): boolean {
  return isRenamed(found, loaded) && isSameState(found.stat, loaded.state);
}

/**
 * Whether a file was renamed. A renamed file must be loaded again if its name has another shape, or if
 * only one of the names ends with `.json`, because such a file may be an array.
 */
function isRenamed({ file, stat }: FoundFile, { state, ...before }: LoadedFile): boolean {
  return (
    stat.inode === state.inode &&
    file.source === before.source &&
    file.format === before.format &&
    file.compression === before.compression &&
    shapeIn(file.name) === shapeIn(before.name) &&
    file.name.endsWith('.json') === before.name.endsWith('.json')
  );
}

function isUnchanged(found: FoundFile, before: LoadedFile, hasGrown: HasGrown): boolean {
  const { stat } = found;
  const { state, canGrow } = before;
  if (found.file.shape !== before.shape) return false;
  const isUntouched = stat.inode === state.inode && stat.touchedMs === state.touchedMs;
  // A file with the same size, time and even inode may still be another one.
  if (isSameState(stat, state)) return isUntouched || hasGrown(found, before);
  // A file that was written to without growing may have changed anywhere, which samples would miss.
  return canGrow && stat.size > state.size && hasGrown(found, before);
}

/** Returns the end of each file in these parts. */
export function endsIn(parts: readonly StoredPart[]): ReadonlyMap<string | undefined, Position> {
  const ends = new Map<string | undefined, Position>();
  for (const { file, to } of parts.flatMap(({ slices }) => slices)) {
    if (to.bytes >= (ends.get(file)?.bytes ?? 0)) ends.set(file, to);
  }
  return ends;
}

function renamed(part: StoredPart, names: ReadonlyMap<string, string>): StoredPart {
  const slices = part.slices.map(({ file: before = '', ...slice }) => {
    const file = names.get(before);
    if (file === undefined) return slice;
    const faults = slice.report.faults.map((fault) => ({ ...fault, file }));
    return { ...slice, file, report: { ...slice.report, file, faults } };
  });
  return { ...part, slices };
}
