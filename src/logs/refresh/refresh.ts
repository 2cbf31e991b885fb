import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { contentsOfParts, contentsSchema } from '../columns/contents.js';
import type { DeclaredSource } from '../columns/declaration.js';
import { isStoredAlike } from '../columns/fit.js';
import { beginsRecord } from '../files/begins-record.js';
import { hasGrown, isSameState, readFault } from '../files/file-state.js';
import { fileStart } from '../files/files.js';
import type { LoadedSource, LoadOptions, SourceLoad } from '../load/job.js';
import type { LoadedFile, Manifest, StoredPart } from '../store/manifest.js';
import { filesRead, keepSources, storedColumns, storedTables } from '../store/manifest.js';
import type { DatabaseFolder } from '../store/store.js';
import { composeManifest, type Done } from './compose-manifest.js';
import { withSlices } from './drop-parts.js';
import type { Places } from './find-slices.js';
import * as logFiles from './find-slices.js';
import { readPartialLines } from './partial-line.js';
import { type Changes, changedNames, endsIn, type FoundFile, planChanges } from './plan-changes.js';

/** The options of a refresh. */
export interface RefreshOptions extends Places {
  readonly declared: readonly DeclaredSource[];
  /** The folder for new database files. */
  readonly cache: Pick<DatabaseFolder, 'folder' | 'newDatabase' | 'discard'>;
  /** Loads into one database file, within its own limits. */
  readonly load: (
    options: Pick<LoadOptions, 'sources' | 'database'>,
  ) => Promise<readonly LoadedSource[]>;
  /** Whether to leave a partial line at the end of a file until it is complete. */
  readonly awaitsLines: boolean;
  /** The wall clock, in milliseconds since 1970. */
  readonly now: () => number;
}

/** The maximum number of attempts at a refresh if files are replaced during the load. */
const maxTries = 5;

/**
 * Brings a manifest up to date with the log files by loading the changes. Returns the same
 * manifest if there are none.
 * @throws SetupError if the folder cannot be read or the database cannot be written
 */
export async function refresh(
  stored: Manifest,
  options: RefreshOptions,
  { tries = maxTries, faults = new Map<string, string>() } = {},
): Promise<Manifest> {
  const foundMs = options.now();
  const { before, found } = lookAt(stored, options, faults);
  const changes = planChangesNow(before, found, options);
  if (isUpToDate(changes, before, options.declared)) return before;
  const refreshing = { before, found, foundMs, options, busy: new Set<string>() };
  const done = await loadChanges(
    withAll(changes, found, sourcesToReload(changes, refreshing)),
    refreshing,
  );
  const more = await findFaults(done, before, faults);
  if (more.size > 0) {
    options.cache.discard(done.database);
    return refresh(before, options, { tries, faults: new Map([...faults, ...more]) });
  }
  const replaced = done.cuts
    .filter((cut) => !logFiles.isStillSameFile(cut))
    .map(({ file }) => file.name);
  if (replaced.length > 0 && tries > 1) {
    options.cache.discard(done.database);
    return refresh(before, options, { tries: tries - 1, faults });
  }
  const { declared } = options;
  return composeManifest(before, withUnknown(done, new Set(replaced)), { found, declared });
}

/** Finds out why previously loaded files cannot be read now although they could be opened, by name. */
async function findFaults(
  { cuts, sources }: Done,
  before: Manifest,
  known: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const reports = sources.flatMap(({ files }) => files.map(({ report }) => report));
  const failed = new Set(reports.filter(({ readable }) => !readable).map(({ file }) => file));
  const read = new Set(filesRead(before).flatMap(({ name, state }) => [name, state.inode]));
  const faults = new Map<string, string>();
  for (const { file, state } of cuts.filter((cut) => failed.has(cut.file.name))) {
    const isLoaded = read.has(file.name) || read.has(state.inode);
    const fault =
      isLoaded && !known.has(file.name) ? await logFiles.findReadFault(file.path) : undefined;
    if (fault !== undefined) faults.set(file.name, fault);
  }
  return faults;
}

/**
 * Returns the sources whose stored records differ from their files.
 * @throws SetupError if the folder cannot be read
 */
export function findChangedSources(
  stored: Manifest,
  options: RefreshOptions,
): readonly DeclaredSource[] {
  const { before, found } = lookAt(stored, options, new Map());
  return options.declared.filter((source) => {
    const own = keepSources(before, new Set([source.name]));
    const files = found.filter(({ file }) => file.source === source.name);
    return !isUpToDate(planChangesNow(own, files, options), own, [source]);
  });
}

/** Returns the stored state, as this process treats partial lines, and the current files. @throws SetupError */
function lookAt(
  stored: Manifest,
  options: RefreshOptions,
  faults: ReadonlyMap<string, string>,
): Pick<Refreshing, 'before' | 'found'> {
  const before = readPartialLines(stored, options.awaitsLines);
  return { before, found: logFiles.findFiles(options, before.files, faults) };
}

function planChangesNow(
  before: Manifest,
  found: readonly FoundFile[],
  { awaitsLines }: Pick<RefreshOptions, 'awaitsLines'>,
): Changes {
  return planChanges(
    before,
    found,
    ({ file, stat }, { state }) =>
      hasGrown(file.path, stat, state) &&
      (isSameState(stat, state) || beginsRecord(file, state.loadedBytes)),
    {
      findFault: ({ file }) => readFault(file.path),
      ...(awaitsLines && { hasNewLines: logFiles.hasNewLines }),
    },
  );
}

/**
 * Marks replaced files as unknown, so that they are not recognized next time: their loaded bytes may come from either
 * version.
 */
function withUnknown(done: Done, replaced: ReadonlySet<string>): Done {
  const cuts = done.cuts.map((cut) =>
    replaced.has(cut.file.name) ? { ...cut, state: { ...cut.state, ...unknown } } : cut,
  );
  return { ...done, cuts };
}

const unknown = { changedMs: -1, inode: -1, samples: '' } as const;

/** Whether all parts and files are unchanged, including names, and each source has a part. */
function isUpToDate(
  { kept, load, same }: Changes,
  { parts, files }: Manifest,
  declared: readonly DeclaredSource[],
): boolean {
  const faultsIn = (some: readonly LoadedFile[]) =>
    [...changedNames(some.filter((file) => file.unreadable))].sort();
  const namesIn = (some: readonly StoredPart[]) =>
    some.map(({ slices }) => slices.map(({ file }) => file));
  const stored = new Set(parts.map(({ source }) => source));
  return (
    load.length === 0 &&
    same.length === files.length &&
    isDeepStrictEqual(namesIn(kept), namesIn(parts)) &&
    isDeepStrictEqual(faultsIn(same), faultsIn(files)) &&
    declared.every(({ name }) => stored.has(name))
  );
}

interface Refreshing {
  readonly before: Manifest;
  readonly found: readonly FoundFile[];
  /** The time at which the files were listed. It decides which files are quiet, because a load may begin much later. */
  readonly foundMs: number;
  readonly options: RefreshOptions;
  /** Files that were written to while being read in place. */
  readonly busy: ReadonlySet<string>;
}

/**
 * Loads the changes. Reloads a source completely if the new schema cannot read its parts, and loads files from copies
 * if they were written to meanwhile.
 */
async function loadChanges(changes: Changes, refreshing: Refreshing): Promise<Done> {
  const { options, busy } = refreshing;
  const done = await loadOnce(changes, refreshing);
  const misfits = new Set(
    done.sources.flatMap(({ schema, isWritten }) => (isWritten ? [] : schema.name)),
  );
  // Files of lines that were written to while being read in place.
  const written = done.cuts.filter(({ file, canGrow, state }) => {
    const isInPlace = canGrow && file.slice === undefined && !busy.has(file.name);
    return isInPlace && !isSameState(logFiles.statOrZero(file.path), state);
  });
  if (misfits.size === 0 && written.length === 0) return done;
  options.cache.discard(done.database);
  const names = [...busy, ...written.map(({ file }) => file.name)];
  return loadChanges(withAll(changes, refreshing.found, misfits), {
    ...refreshing,
    busy: new Set(names),
  });
}

/** Returns the sources that only lose records, if the remaining records would be stored in another way without them. */
function sourcesToReload(
  { kept, load }: Changes,
  { before, options }: Refreshing,
): ReadonlySet<string> {
  const sources = options.declared.filter((source) => {
    const isOwn = (part: StoredPart) => part.source === source.name;
    const left = kept.filter(isOwn);
    const isLoaded = load.some(({ file }) => file.source === source.name);
    const schema = before.schemas.find(({ name }) => name === source.name);
    if (isLoaded || left.length === 0 || schema === undefined) return false;
    if (left.length === before.parts.filter(isOwn).length) return false;
    const { columns } = contentsSchema(source, contentsOfParts(source, left), schema);
    return !isStoredAlike(columns, schema.columns);
  });
  return new Set(sources.map(({ name }) => name));
}

/** Adds to the changes a complete load of these sources, except records stored with files that cannot be read. */
function withAll(
  changes: Changes,
  found: readonly FoundFile[],
  sources: ReadonlySet<string>,
): Changes {
  const { kept, load, same, carried: before = [] } = changes;
  const isOther = (source: string) => !sources.has(source);
  const own = kept.filter(({ source }) => !isOther(source));
  const unreadable = changedNames(same.filter((file) => file.unreadable));
  const isCarried = ({ slices }: StoredPart) => slices.some(({ file }) => unreadable.has(file));
  const carried = [...before, ...withSlices('earlier', own, isCarried)];
  const [all, ends] = [endsIn(own), endsIn(carried)];
  const isThere = ({ name }: { readonly name: string }) =>
    ends.has(name) && ends.get(name)?.bytes === (all.get(name) ?? ends.get(name))?.bytes;
  const stays = same.filter(
    (file) => isOther(file.source) || unreadable.has(file.name) || isThere(file),
  );
  const staying = new Set(stays.map(({ name }) => name));
  return {
    kept: kept.filter(({ source }) => isOther(source)),
    carried,
    same: stays,
    load: [
      ...load.filter(({ file }) => isOther(file.source)),
      ...found
        .filter(({ file }) => !isOther(file.source) && !staying.has(file.name))
        .map((each) => ({ ...each, from: ends.get(each.file.name) ?? fileStart })),
    ],
  };
}

async function loadOnce(changes: Changes, refreshing: Refreshing): Promise<Done> {
  const { options, busy, before, foundMs } = refreshing;
  const { declared, cache, awaitsLines } = options;
  const cuts = changes.load.map((each) => logFiles.cutFile(each, { awaitsLines, busy }, foundMs));
  const sources = declared.flatMap((source): readonly SourceLoad[] => {
    const files = cuts.map(({ file }) => file).filter((file) => file.source === source.name);
    const kept = changes.kept.filter((part) => part.source === source.name);
    if (files.length === 0 && kept.length > 0) return [];
    // A part of an empty source has no files, and is replaced when the first file arrives.
    const filled = kept.filter(({ slices }) => slices.length > 0);
    const stored = before.schemas.find(({ name }) => name === source.name);
    const carried = (changes.carried ?? []).filter((part) => part.source === source.name);
    const job = {
      source,
      files,
      parts: storedTables(carried, before.schemas, cache.folder),
      typed: stored?.columns ?? [],
      kept: [...new Set(filled.map((part) => storedColumns(part, before.schemas)))],
      contents: contentsOfParts(source, [...kept, ...carried]),
    };
    return [{ ...job, ...(filled.length > 0 && { base: stored }) }];
  });
  if (sources.length === 0) return { ...changes, cuts, database: '', sources: [] };
  const database = cache.newDatabase();
  try {
    const loaded = await options.load({ sources, database: join(cache.folder, database) });
    return { ...changes, cuts, database, sources: loaded };
  } catch (error) {
    cache.discard(database);
    throw error;
  }
}
