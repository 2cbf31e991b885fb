import { type FileStat, isSame } from '../files/file-state.js';
import { fileStart, type LogFile, type Position, shapeIn } from '../files/files.js';
import type { LoadedFile, Manifest, StoredPart } from '../store/manifest.js';
import { isSmall, withLater } from './drop-parts.js';

/** A log file that was found in the data folder. */
export interface FoundFile {
  readonly file: LogFile;
  readonly stat: FileStat;
}

/** A file to load from a position to its end. */
export interface ToLoad extends FoundFile {
  readonly from: Position;
}

/** The changes that bring the store up to date with the files. */
export interface Changes {
  /** Parts that stay, with the current names of their files. */
  readonly kept: readonly StoredPart[];
  readonly load: readonly ToLoad[];
  /** Files from which nothing needs to be loaded, with their current names. */
  readonly same: readonly LoadedFile[];
}

/** Whether a file still begins with the bytes that were loaded from it; may read the file. */
export type HasGrown = (found: FoundFile, before: LoadedFile) => boolean;

/**
 * Compares the store with the files in the data folder. A file is recognized by its inode, so it may be
 * renamed, or by name, size and time, so the folder may be copied. If it has grown, only its end is
 * loaded. A part with records of a removed or changed file is dropped, and its other files are loaded
 * from their ends in the parts that stay.
 */
export function planChanges(
  before: Manifest,
  found: readonly FoundFile[],
  hasGrown: HasGrown,
): Changes {
  const known = recognize(before.files, found, hasGrown);
  const needsLoading = (each: FoundFile) => {
    const loaded = known.get(each);
    return loaded === undefined || !isSame(each.stat, loaded.state);
  };
  const kept = partsToKeep(before.parts, { found, known, needsLoading });
  const [ends, keptEnds] = [endsOf(before.parts), endsOf(kept)];
  const load = found.flatMap((each): readonly ToLoad[] => {
    const name = known.get(each)?.name ?? '';
    const from = keptEnds.get(name) ?? fileStart;
    const end = ends.get(name) ?? fileStart;
    const isDropped = ends.has(name) && !keptEnds.has(name);
    return needsLoading(each) || isDropped || from.bytes < end.bytes ? [{ ...each, from }] : [];
  });
  const loading = new Set(load.map(({ file }) => file.name));
  const same = [...known]
    .filter(([{ file }]) => !loading.has(file.name))
    .map(([{ file, stat }, loaded]) => ({
      ...loaded,
      name: file.name,
      state: { ...loaded.state, ...stat },
    }));
  const names = new Map([...known].map(([{ file }, { name }]) => [name, file.name]));
  return { kept: kept.map((part) => renamed(part, names)), load, same };
}

interface Compared {
  readonly found: readonly FoundFile[];
  /** For each file found, the loaded file that it is. */
  readonly known: ReadonlyMap<FoundFile, LoadedFile>;
  readonly needsLoading: (each: FoundFile) => boolean;
}

/**
 * The parts whose files are all present; without the small parts of sources that get new records.
 */
function partsToKeep(
  parts: readonly StoredPart[],
  { found, known, needsLoading }: Compared,
): readonly StoredPart[] {
  const present = new Set([...known.values()].map(({ name }) => name));
  const incomplete = withLater(parts, ({ slices }) =>
    slices.some(({ file }) => !present.has(file)),
  );
  const broken = new Set([...incomplete].flatMap(({ slices }) => slices.map(({ file }) => file)));
  const isGrowing = (each: FoundFile) =>
    needsLoading(each) || broken.has(known.get(each)?.name ?? '');
  const growing = new Set(found.filter(isGrowing).map(({ file }) => file.source));
  const isDropped = (part: StoredPart) =>
    incomplete.has(part) || (growing.has(part.source) && isSmall(part));
  const dropped = withLater(parts, isDropped);
  return parts.filter((part) => !dropped.has(part));
}

/**
 * Matches each file found with the loaded file that it is; each loaded file matches at most once.
 */
function recognize(
  loaded: readonly LoadedFile[],
  found: readonly FoundFile[],
  hasGrown: HasGrown,
): ReadonlyMap<FoundFile, LoadedFile> {
  const known = new Map<FoundFile, LoadedFile>();
  const left = new Set(loaded);
  const byName = new Map(loaded.map((before) => [before.name, before]));
  const byInode = new Map(loaded.map((before) => [before.state.inode, before]));
  const matchers = [
    [isUnmoved, ({ file }: FoundFile) => byName.get(file.name)],
    [isCopy, ({ file }: FoundFile) => byName.get(file.name)],
    [isRenamed, ({ stat }: FoundFile) => byInode.get(stat.inode)],
  ] as const;
  for (const [isMatch, find] of matchers) {
    for (const each of found.filter((one) => !known.has(one))) {
      const match = find(each);
      if (match === undefined || !left.has(match) || !isMatch(each, match)) continue;
      if (!isUnchanged(each, match, hasGrown)) continue;
      known.set(each, match);
      left.delete(match);
    }
  }
  return known;
}

function isUnmoved({ file, stat }: FoundFile, { name, state }: LoadedFile): boolean {
  return file.name === name && stat.inode === state.inode;
}

function isCopy({ file, stat }: FoundFile, { name, state }: LoadedFile): boolean {
  return file.name === name && isSame(stat, state);
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
  const isUntouched = stat.inode === state.inode && stat.touchedMs === state.touchedMs;
  // A file with the same size, time and even inode may still be another one.
  if (isSame(stat, state)) return isUntouched || hasGrown(found, before);
  // A file that was written to without growing may have changed anywhere, which samples would miss.
  return canGrow && stat.size > state.size && hasGrown(found, before);
}

/** The end of each file in these parts. */
function endsOf(parts: readonly StoredPart[]): ReadonlyMap<string, Position> {
  const ends = new Map<string, Position>();
  for (const { file, to } of parts.flatMap(({ slices }) => slices)) {
    if (to.bytes >= (ends.get(file)?.bytes ?? 0)) ends.set(file, to);
  }
  return ends;
}

function renamed(part: StoredPart, names: ReadonlyMap<string, string>): StoredPart {
  const slices = part.slices.map((slice) => {
    const file = names.get(slice.file) ?? slice.file;
    const faults = slice.report.faults.map((fault) => ({ ...fault, file }));
    return { ...slice, file, report: { ...slice.report, file, faults } };
  });
  return { ...part, slices };
}
