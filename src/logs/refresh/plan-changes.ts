import { type FileStat, isSame } from '../files/file-state.js';
import { fileStart, type LogFile, type Place } from '../files/files.js';
import type { LoadedFile, Manifest, StoredPart } from '../store/manifest.js';
import { isSmall, withLater } from './drop-parts.js';

/** A log file that is there now. */
export interface FoundFile {
  readonly file: LogFile;
  readonly stat: FileStat;
}

/** What of a file is to be loaded: all that stands behind a place. */
export interface ToLoad extends FoundFile {
  readonly from: Place;
}

/** What has to be done so that what is stored is what the files hold. */
export interface Changes {
  /** Parts that stay, under the names that their files have now. */
  readonly kept: readonly StoredPart[];
  readonly load: readonly ToLoad[];
  /** The files of which nothing is to be loaded, under the names that they have now. */
  readonly same: readonly LoadedFile[];
}

/** Whether a file still begins with what is loaded of it; it may look into the file. */
export type HasGrown = (found: FoundFile, before: LoadedFile) => boolean;

/**
 * Compares what is stored with the files that are there. A file is known by its inode, so that it
 * may be renamed, or by its name, size and time, so that a folder may be copied. Of one that has
 * grown the end is loaded. A part with records of a file that is gone or was changed is dropped: its
 * other files are loaded from where they end in the parts that stay.
 */
export function planChanges(
  before: Manifest,
  found: readonly FoundFile[],
  hasGrown: HasGrown,
): Changes {
  const known = recognize(before.files, found, hasGrown);
  const isDue = (each: FoundFile) => {
    const loaded = known.get(each);
    return loaded === undefined || !isSame(each.stat, loaded.state);
  };
  const kept = partsToKeep(before.parts, { found, known, isDue });
  const [ends, keptEnds] = [endsOf(before.parts), endsOf(kept)];
  const load = found.flatMap((each): readonly ToLoad[] => {
    const name = known.get(each)?.name ?? '';
    const from = keptEnds.get(name) ?? fileStart;
    const end = ends.get(name) ?? fileStart;
    const isDropped = ends.has(name) && !keptEnds.has(name);
    return isDue(each) || isDropped || from.bytes < end.bytes ? [{ ...each, from }] : [];
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
  /** The file that each of those found was. */
  readonly known: ReadonlyMap<FoundFile, LoadedFile>;
  readonly isDue: (each: FoundFile) => boolean;
}

/** The parts without a lost file; where something is to be loaded of their source, without the small ones. */
function partsToKeep(
  parts: readonly StoredPart[],
  { found, known, isDue }: Compared,
): readonly StoredPart[] {
  const there = new Set([...known.values()].map(({ name }) => name));
  const unsound = withLater(parts, ({ slices }) => slices.some(({ file }) => !there.has(file)));
  const broken = new Set([...unsound].flatMap(({ slices }) => slices.map(({ file }) => file)));
  const isGrowing = (each: FoundFile) => isDue(each) || broken.has(known.get(each)?.name ?? '');
  const growing = new Set(found.filter(isGrowing).map(({ file }) => file.source));
  const isDropped = (part: StoredPart) =>
    unsound.has(part) || (growing.has(part.source) && isSmall(part));
  const dropped = withLater(parts, isDropped);
  return parts.filter((part) => !dropped.has(part));
}

/** The file that each of those found was when it was loaded; no loaded file is two of them. */
function recognize(
  loaded: readonly LoadedFile[],
  found: readonly FoundFile[],
  hasGrown: HasGrown,
): ReadonlyMap<FoundFile, LoadedFile> {
  const known = new Map<FoundFile, LoadedFile>();
  const left = new Set(loaded);
  const byName = new Map(loaded.map((before) => [before.name, before]));
  const byInode = new Map(loaded.map((before) => [before.state.inode, before]));
  const ways = [
    [isAtItsPlace, ({ file }: FoundFile) => byName.get(file.name)],
    [isCopy, ({ file }: FoundFile) => byName.get(file.name)],
    [isElsewhere, ({ stat }: FoundFile) => byInode.get(stat.inode)],
  ] as const;
  for (const [isIt, find] of ways) {
    for (const each of found.filter((one) => !known.has(one))) {
      const match = find(each);
      if (match === undefined || !left.has(match) || !isIt(each, match)) continue;
      if (!isUnchanged(each, match, hasGrown)) continue;
      known.set(each, match);
      left.delete(match);
    }
  }
  return known;
}

function isAtItsPlace({ file, stat }: FoundFile, { name, state }: LoadedFile): boolean {
  return file.name === name && stat.inode === state.inode;
}

function isCopy({ file, stat }: FoundFile, { name, state }: LoadedFile): boolean {
  return file.name === name && isSame(stat, state);
}

/** Of a file that was renamed, an `id` made from its old name would be wrong; a `.json` file may be one array. */
function isElsewhere({ file, stat }: FoundFile, { state, ...before }: LoadedFile): boolean {
  return (
    stat.inode === state.inode &&
    file.source === before.source &&
    file.format === before.format &&
    file.compression === before.compression &&
    file.name.endsWith('.json') === before.name.endsWith('.json') &&
    !before.hasMadeIds
  );
}

function isUnchanged(found: FoundFile, before: LoadedFile, hasGrown: HasGrown): boolean {
  const { stat } = found;
  const { state, canGrow } = before;
  const isUntouched = stat.inode === state.inode && stat.touchedMs === state.touchedMs;
  // One of the same size and time may yet be another, even of the same inode.
  if (isSame(stat, state)) return isUntouched || hasGrown(found, before);
  // What was written to without getting longer may be other in its midst, which nobody looks at.
  return canGrow && stat.size > state.size && hasGrown(found, before);
}

/** How far each file is in these parts. */
function endsOf(parts: readonly StoredPart[]): ReadonlyMap<string, Place> {
  const ends = new Map<string, Place>();
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
