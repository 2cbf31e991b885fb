import { availableParallelism } from 'node:os';
import type { Settings } from '../config/settings.js';
import { SetupError } from '../errors/errors.js';
import type { DeclaredSource } from '../logs/columns/declaration.js';
import { newIdKey } from '../logs/columns/made-id.js';
import type { Inputs } from '../logs/files/inputs.js';
import type { LoadedSource, LoadOptions } from '../logs/load/job.js';
import { maxLanes } from '../logs/load/lanes.js';
import { createLoadApart } from '../logs/load/load-in-child.js';
import { refuseFaults } from '../logs/load/report.js';
import { hasManyParts, mergeSmallParts, withMerged } from '../logs/refresh/merge-small-parts.js';
import { type RefreshOptions, refresh } from '../logs/refresh/refresh.js';
import { emptyManifest, fileReports, type Manifest } from '../logs/store/manifest.js';
import type { DiskCache } from '../logs/store/store.js';
import { errorCode, type LogCache, openLogCache } from './log-cache.js';
import { createLogs, type Logs, type LogsOptions, saveManifest } from './logs.js';
import { loadMemory, printMemory } from './memory.js';
import { createProgressView, type ProgressOutput, progressOutput } from './show-progress.js';
import { createSourceReader, shapeUses } from './source-files.js';

/** The options for loading and storing logs. */
export interface LoadLogsOptions {
  /** The output for the progress of loading. */
  readonly output?: ProgressOutput;
  /** The size in bytes above which only the size of a stored database file is checked. */
  readonly verifiedBytes?: number;
  /** The storage for loaded logs; by default the disk cache that the settings describe. */
  readonly cache?: DiskCache;
  /** Loads the files; by default in child processes, one of which stays while the files are followed. */
  readonly load?: (options: LoadOptions) => Promise<readonly LoadedSource[]>;
}

/**
 * Loads the log files of `--data` and of the command line, reusing the tables that an earlier run has stored.
 * `--memory-limit` also limits the load. Of database files larger than `verifiedBytes`, only the size is checked; the
 * engine detects other damage when it reads them.
 * @throws SetupError without `--data` and other files, or if these cannot be used
 */
export async function loadLogs(settings: Settings, how: LoadLogsOptions = {}): Promise<Logs> {
  const { data, strict, watch } = settings;
  const places = logPlaces(settings);
  const readSources = createSourceReader(settings);
  const { declared, warnings: replaced, inputs } = readSources();
  if (data === undefined) refuseUnread(inputs);
  const openCache = cacheOpener(settings, how, places);
  const { cache, warnings, idKey } = openCache(declared);
  const isTemporary = how.cache !== undefined || settings.noDiskCache;
  const options: LogsOptions = {
    dataFolder: data,
    inputs,
    declared,
    cache,
    warnings: [...replaced, ...warnings],
    load: loadWith({ ...settings, idKey }, how),
    awaitsLines: watch,
    now: Date.now,
  };
  const stored = await cache.read().catch((error: unknown) => {
    const hint = 'see --cache-dir and --no-disk-cache';
    throw new SetupError([
      `the disk cache in ${cache.folder} cannot be read (${errorCode(error)}); ${hint}`,
    ]);
  });
  const loaded = await refresh(stored.manifest ?? emptyManifest, options);
  // Small parts left by earlier runs are merged; on failure, they stay.
  const merges = hasManyParts(loaded) ? await mergeSmallParts(loaded, options).catch(() => []) : [];
  const first = withMerged(loaded, merges);
  const allWarnings = [
    ...options.warnings,
    ...(stored.isDamaged ? [damaged] : []),
    ...(await saveManifest(cache, first)),
    ...unusedShapes(settings, declared, first),
  ];
  refuseFaults(places.join(', '), fileReports(first), { shaped: shapedSources(declared), strict });
  return createLogs({ manifest: first, options }, allWarnings, (before) => {
    const next = readSources();
    if (next.declared === before.declared) return before;
    const { cache } = before;
    const opened = isTemporary ? { cache, warnings: [] } : openCache(next.declared, idKey);
    const warnings = [...next.warnings, ...opened.warnings];
    return { ...before, ...opened, declared: next.declared, inputs: next.inputs, warnings };
  });
}

const missing =
  '--data is missing: the folder of the log files; or name files, as in log-endpoints serve app.log';

/** Returns the places of the log files. @throws SetupError if none is given */
function logPlaces({ data, paths = [] }: Settings): readonly string[] {
  const places = [...(data === undefined ? [] : [data]), ...paths];
  if (places.length === 0) throw new SetupError([missing]);
  return places;
}

/** @throws SetupError if there are files and none of them can be read */
function refuseUnread(inputs: () => Inputs): void {
  const { files, unread } = inputs();
  if (files.length === 0 && unread.length > 0) throw new SetupError(unread);
}

/** Returns a function that opens the cache for some sources, and reuses the key when called again. */
function cacheOpener(
  settings: Settings,
  { cache, verifiedBytes }: LoadLogsOptions,
  places: readonly string[],
) {
  return (sources: readonly DeclaredSource[], idKey = settings.idKey): LogCache =>
    cache === undefined
      ? openLogCache({ ...settings, idKey }, places, sources, verifiedBytes)
      : { cache, warnings: [], idKey: idKey ?? newIdKey() };
}

/** Returns the sources whose files all have a shape named by the user. */
function shapedSources(declared: readonly DeclaredSource[]): ReadonlySet<string> {
  return new Set(declared.flatMap(({ name, mapping }) => (mapping === undefined ? [] : [name])));
}

/** Returns the shapes of `--as` for names that no file has. */
function unusedShapes(
  { as = [] }: Pick<Settings, 'as'>,
  declared: readonly DeclaredSource[],
  { files }: Manifest,
): readonly string[] {
  return shapeUses(as).flatMap(({ source: called, shape }) => {
    if (shape === 'none') return [];
    const names = declared.flatMap(({ name, aliases = [] }) =>
      name === called || aliases.includes(called) ? [name] : [],
    );
    const isUsed = files.some(({ source }) => names.includes(source));
    return isUsed ? [] : [`--as ${called}=${shape}: no file or folder is called ${called}`];
  });
}

const damaged = 'the disk cache was damaged; everything was reloaded';

function loadWith(
  settings: Settings,
  { output = progressOutput(), load: given }: LoadLogsOptions,
): RefreshOptions['load'] {
  const { idKey, maxFields, newestRows, threads = availableParallelism() } = settings;
  const memoryLimit = printMemory(loadMemory(settings));
  const limits = { idKey, maxFields, newestRows, threads, memoryLimit };
  if (given !== undefined) return (options) => given({ ...limits, ...options });
  const load = createLoadApart(settings.watch ? keepLoaderMs : 0);
  // While files are followed, several processes may load at once.
  const memory = loadMemory(settings) / (settings.watch ? maxLanes : 1);
  const own = { ...limits, memoryLimit: printMemory(memory) };
  return async (options) => {
    const progress = createProgressView(output);
    return load({ ...own, ...options }, progress.show).finally(progress.end);
  };
}

/** The time for which a loading process stays after the last change of files, in milliseconds. */
const keepLoaderMs = 600_000;
