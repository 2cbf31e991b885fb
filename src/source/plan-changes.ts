import { type FileStat, isSame } from './file-state.js';
import { fileStart, type LogFile, type Place } from './load-file.js';
import type { LoadedFile, Manifest, StoredPart } from './manifest.js';

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

/** A part with fewer records is made anew with those that come, so that there are not many of them. */
export const fewRecords = 3_000;

/**
 * Compares what is stored with the files that are there. A file is known by its inode, so that it
 * may be renamed, or by its name, size and time, so that a folder may be copied. Of one that has
 * grown the end is loaded; a part with records of a file that is gone or was changed is made anew
 * from its other files.
 */
export function planChanges(
  before: Manifest,
  found: readonly FoundFile[],
  hasGrown: HasGrown,
): Changes {
  const recognized = recognize(before.files, found, hasGrown);
  const lost = lostFiles(before, new Set(recognized.values()));
  const known = new Map([...recognized].filter(([, { name }]) => !lost.has(name)));
  const sound = before.parts.filter(({ slices }) => slices.every(({ file }) => !lost.has(file)));
  const isDue = (each: FoundFile) => {
    const loaded = known.get(each);
    return loaded === undefined || !isSame(each.stat, loaded.state);
  };
  const growing = new Set(found.filter(isDue).map(({ file }) => file.source));
  const kept = sound.filter(({ source, records }) => !growing.has(source) || records >= fewRecords);
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

/** Of a file that was renamed, an `id` made from its old name would be wrong. */
function isElsewhere({ file, stat }: FoundFile, { state, ...before }: LoadedFile): boolean {
  return (
    stat.inode === state.inode &&
    file.source === before.source &&
    file.format === before.format &&
    file.compression === before.compression &&
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

/** Names of loaded files that are there no more, and of all that share a part with one of them. */
function lostFiles(
  { files, parts }: Manifest,
  there: ReadonlySet<LoadedFile>,
): ReadonlySet<string> {
  const lost = new Set(files.filter((file) => !there.has(file)).map(({ name }) => name));
  for (let size = -1; size < lost.size; ) {
    size = lost.size;
    const broken = parts.filter(({ slices }) => slices.some(({ file }) => lost.has(file)));
    for (const { file } of broken.flatMap(({ slices }) => slices)) lost.add(file);
  }
  return lost;
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
