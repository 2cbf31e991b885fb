import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { digestValue } from '../common/digest.js';
import type { Settings } from '../config/settings.js';
import { SetupError } from '../errors/errors.js';
import type { DeclaredSource } from '../logs/columns/declaration.js';
import { isSameSource } from '../logs/columns/declared-sources.js';
import { listFolder, shapeIn } from '../logs/files/files.js';
import { listIgnored, readSuffixes } from '../logs/files/ignored-files.js';
import type { LoadedSource, LoadOptions } from '../logs/load/job.js';
import { loadSourcesInChild } from '../logs/load/load-in-child.js';
import { type FileReport, faultLines, refuseFaults } from '../logs/load/report.js';
import {
  hasManyParts,
  type Merge,
  mergeSmallParts,
  withMerged,
} from '../logs/refresh/merge-small-parts.js';
import { type RefreshOptions, refresh } from '../logs/refresh/refresh.js';
import { linkDatabases } from '../logs/store/link-databases.js';
import {
  databasesOf,
  emptyManifest,
  keepSources,
  type Manifest,
  onlyProject,
  reportsOf,
} from '../logs/store/manifest.js';
import type { DiskCache } from '../logs/store/store.js';
import type { SourceSchema } from '../types/schema.js';
import { codeOf, openLogCache } from './log-cache.js';
import { loadMemory, printMemory } from './memory.js';
import { createProgressView, type ProgressOutput, progressOutput } from './show-progress.js';
import { createSourceReader, shapeUses } from './source-files.js';

/** One version of the logs, stored in database files. */
export interface LoadedLogs {
  /** One of the database files; `sources` says which file stores which source. */
  readonly databaseFile: string;
  readonly sources: readonly SourceSchema[];
  readonly files: readonly FileReport[];
  readonly warnings: readonly string[];
  /** The sources as they are declared. */
  readonly declared: readonly DeclaredSource[];
  /** Different for every version of the log files. */
  readonly version: string;
  /** Releases the database files, which are removed unless another version needs them. */
  readonly release: () => void;
}

/** The logs of a data folder, now and after changes. */
export interface Logs {
  /** The version at the start. */
  readonly first: LoadedLogs;
  /**
   * Reads the declarations of the sources again, for the next refresh.
   * @throws SetupError if they have faults; the ones read before stay
   */
  readSources(): void;
  /** Loads the changes of the files; undefined if there are none. @throws SetupError */
  refresh(): Promise<LoadedLogs | undefined>;
  /** The files that are not read, a line each, with the reason. @throws SetupError */
  ignored(): readonly string[];
  /**
   * Merges parts if there are many, which takes a while, and returns a function that applies the
   * result. Only that function must not run at the same time as the other methods.
   * @throws SetupError
   */
  merge(): Promise<() => Promise<LoadedLogs | undefined>>;
  /** Whether the database files are undamaged. */
  verify(): Promise<boolean>;
  /** Reloads everything. @throws SetupError */
  reload(): Promise<LoadedLogs | undefined>;
  /** Returns to the version at the start, whose database files somebody must hold; undefined if it is the current one. */
  restart(): Promise<LoadedLogs | undefined>;
}

/** The warnings about log files and the disk cache, one line each. */
export function warningLines({ warnings, files }: LoadedLogs): readonly string[] {
  return [...warnings, ...faultLines(files)];
}

/** How logs are loaded, and where they are stored. */
export interface LoadLogsOptions {
  /** Where the progress of loading is shown. */
  readonly output?: ProgressOutput;
  /** The size in bytes above which only the size of a stored database file is checked. */
  readonly verifiedBytes?: number;
  /** Where loaded logs are stored; by default the disk cache that the settings describe. */
  readonly cache?: DiskCache;
  /** Loads the files; by default {@link loadSourcesInChild}. */
  readonly load?: (options: LoadOptions) => Promise<readonly LoadedSource[]>;
}

/**
 * Loads the log files of `--data`, reusing the tables that an earlier run has stored. `--memory-limit`
 * also limits the load. Of database files larger than `verifiedBytes` only the size is checked; the
 * engine detects other damage when it reads it.
 * @throws SetupError without `--data`, or if the folder cannot be used
 */
export async function loadLogs(settings: Settings, how: LoadLogsOptions = {}): Promise<Logs> {
  const { data, strict, watch } = settings;
  if (data === undefined) throw new SetupError(['--data is missing: the folder of the log files']);
  const readSources = createSourceReader(settings);
  const { declared, warnings: replaced } = readSources();
  const openCache = (sources: readonly DeclaredSource[]) =>
    openLogCache(settings, data, sources, how.verifiedBytes);
  const { cache, warnings } =
    how.cache === undefined ? openCache(declared) : { cache: how.cache, warnings: [] };
  const isTemporary = how.cache !== undefined || settings.noDiskCache;
  const options: LogsOptions = {
    dataFolder: data,
    declared,
    cache,
    warnings: [...replaced, ...warnings],
    load: loadWith(settings, how),
    awaitsLines: watch,
    now: Date.now,
  };
  const stored = await cache.read().catch((error: unknown) => {
    const hint = 'see --cache-dir and --no-disk-cache';
    throw new SetupError([
      `the disk cache in ${cache.folder} cannot be read (${codeOf(error)}); ${hint}`,
    ]);
  });
  const loaded = await refresh(stored.manifest ?? emptyManifest, options);
  const first = await withFewParts(loaded, options);
  const allWarnings = [
    ...options.warnings,
    ...(stored.isDamaged ? [damaged] : []),
    ...(await save(cache, first)),
    ...unusedShapes(settings, declared, first),
  ];
  refuseFaults(data, { reports: reportsOf(first), shaped: shapedSources(declared), strict });
  return createLogs({ manifest: first, options }, allWarnings, (before) => {
    const next = readSources();
    if (next.declared === before.declared) return before;
    const opened = isTemporary ? { cache: before.cache, warnings: [] } : openCache(next.declared);
    return {
      ...before,
      ...opened,
      declared: next.declared,
      warnings: [...next.warnings, ...opened.warnings],
    };
  });
}

/** The sources whose files all have a shape that was named. */
function shapedSources(declared: readonly DeclaredSource[]): ReadonlySet<string> {
  return new Set(declared.flatMap(({ name, mapping }) => (mapping === undefined ? [] : [name])));
}

/** The shapes of `--as` for names that no file has. */
function unusedShapes(
  { as = [] }: Pick<Settings, 'as'>,
  declared: readonly DeclaredSource[],
  { files }: Manifest,
): readonly string[] {
  return shapeUses(as).flatMap(({ source: called, shape }) => {
    const names = declared.flatMap(({ name, aliases = [] }) =>
      name === called || aliases.includes(called) ? [name] : [],
    );
    const isUsed = files.some(({ source }) => names.includes(source));
    return isUsed ? [] : [`--as ${called}=${shape}: no file or folder is called ${called}`];
  });
}

/** Merges the small parts that earlier runs have left; if that fails, they stay unmerged. */
async function withFewParts(manifest: Manifest, options: RefreshOptions): Promise<Manifest> {
  if (!hasManyParts(manifest)) return manifest;
  const merges = await mergeSmallParts(manifest, options).catch(() => []);
  return withMerged(manifest, merges);
}

const damaged = 'the disk cache was damaged; everything was reloaded';

/** Saves a manifest. A failure is only a warning: without its cache the program still answers. */
async function save(cache: DiskCache, manifest: Manifest): Promise<readonly string[]> {
  try {
    await cache.save(manifest);
    return [];
  } catch (error) {
    return [
      `cannot save to ${cache.folder} (${codeOf(error)}); the next start will reload everything`,
    ];
  }
}

interface LogsOptions extends RefreshOptions {
  readonly cache: DiskCache;
  /** About the declarations and the cache. */
  readonly warnings: readonly string[];
}

/** What is stored, and under which declarations. */
interface LogsState {
  readonly manifest: Manifest;
  readonly options: LogsOptions;
}

function createLogs(
  first: LogsState,
  warnings: readonly string[],
  readOptions: (before: LogsOptions) => LogsOptions,
): Logs {
  let now = first;
  let wanted = first.options;
  const replace = async (manifest: Manifest, options = now.options) => {
    if (manifest === now.manifest && options === now.options) return undefined;
    const news = options === now.options ? [] : options.warnings;
    const saveWarnings = await save(options.cache, manifest);
    now = { manifest, options };
    return toLogs(manifest, [...news, ...saveWarnings], options);
  };
  return {
    first: toLogs(first.manifest, warnings, first.options),
    readSources() {
      wanted = readOptions(wanted);
    },
    async refresh() {
      const { manifest, undo } = moveTo(wanted, now);
      const refreshed = refresh(manifest, wanted);
      refreshed.catch(undo);
      return replace(await refreshed, wanted);
    },
    ignored: () => listIgnored(now.options.dataFolder, now.options.declared),
    async merge() {
      const { manifest, options } = now;
      const release = options.cache.hold(databasesOf(manifest));
      const merges = await mergeSmallParts(manifest, options).finally(release);
      return async () => {
        // Under other declarations the parts are in other files.
        const next = options === now.options ? withMerged(now.manifest, merges) : now.manifest;
        for (const name of unused(merges, next)) options.cache.discard(name);
        return replace(next);
      };
    },
    verify: () => now.options.cache.verify(),
    reload: async () => replace(await refresh(emptyManifest, wanted), wanted),
    restart: () => replace(first.manifest, first.options),
  };
}

interface Moved {
  readonly manifest: Manifest;
  /** Removes the files that the move has made. */
  readonly undo: () => void;
}

/** What stays stored under other declarations: the sources that are declared as before. */
function moveTo(options: LogsOptions, { manifest, options: before }: LogsState): Moved {
  const present = unlessMissing(manifest, before.cache.folder);
  if (options === before) return { manifest: present, undo: () => {} };
  const same = before.declared.filter((source) => {
    const files = present.files.filter((file) => file.source === source.name);
    const shapes = files.flatMap(({ name }) => shapeIn(name) ?? []);
    const next = options.declared.find(({ name }) => name === source.name);
    return next !== undefined && isSameSource(source, next, shapes);
  });
  const kept = keepSources(present, new Set(same.map(({ name }) => name)));
  if (options.cache === before.cache) return { manifest: kept, undo: () => {} };
  const linked = linkDatabases(kept, before.cache.folder, options.cache);
  const undo = () => {
    for (const name of databasesOf(linked)) options.cache.discard(name);
  };
  return { manifest: linked, undo };
}

/** The manifest, or the empty one if a database file was removed. */
function unlessMissing(manifest: Manifest, folder: string): Manifest {
  return databasesOf(manifest).every((name) => existsSync(join(folder, name)))
    ? manifest
    : emptyManifest;
}

/** The database files of merges that were not applied. */
function unused(merges: readonly Merge[], { parts }: Manifest): ReadonlySet<string> {
  const used = new Set(parts.map(({ database }) => database));
  return new Set(
    merges.map(({ merged }) => merged.database).filter((database) => !used.has(database)),
  );
}

function loadWith(
  settings: Settings,
  { output = progressOutput(), load }: LoadLogsOptions,
): RefreshOptions['load'] {
  const limits = loadLimits(settings);
  if (load !== undefined) return (options) => load({ ...limits, ...options });
  return async (options) => {
    const progress = createProgressView(output);
    return loadSourcesInChild({ ...limits, ...options }, progress.show).finally(progress.end);
  };
}

/** The limits of a load that the settings define. */
export function loadLimits(
  settings: Settings,
): Pick<LoadOptions, 'maxFields' | 'memoryLimit' | 'newestRows' | 'threads'> {
  return {
    maxFields: settings.maxFields,
    newestRows: settings.newestRows,
    memoryLimit: printMemory(loadMemory(settings)),
    threads: settings.threads ?? availableParallelism(),
  };
}

function toLogs(
  manifest: Manifest,
  cacheWarnings: readonly string[],
  { dataFolder, declared, cache }: LogsOptions,
): LoadedLogs {
  const { parts, files, schemas, warnings } = manifest;
  const { folder } = cache;
  const sources = schemas.map((schema): SourceSchema => {
    const own = parts.filter(({ source }) => source === schema.name);
    const stored = own.map(({ database }, index) => ({
      file: join(folder, database),
      view: `${schema.name}/${index}`,
    }));
    const { projectPath, aliases } = declared.find(({ name }) => name === schema.name) ?? {};
    const only = onlyProject(own);
    return {
      ...schema,
      parts: stored,
      ...(projectPath && { projectPath }),
      ...(aliases && { aliases }),
      ...(only !== undefined && { onlyProject: only }),
    };
  });
  return {
    declared,
    databaseFile: sources[0]?.parts?.[0]?.file ?? '',
    sources,
    files: reportsOf(manifest),
    warnings: [
      ...cacheWarnings,
      ...(files.length === 0 ? [describeEmpty(dataFolder, declared)] : []),
      ...listIgnored(dataFolder, declared),
      ...Object.values(warnings).flat(),
    ],
    version: digestValue(
      sources.map((source) => ({ ...source, columns: digestValue(source.columns) })),
    ),
    release: cache.hold(databasesOf(manifest)),
  };
}

function describeEmpty(dataFolder: string, declared: readonly DeclaredSource[]): string {
  const names = declared.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  const wanted = `wanted are files or folders called ${names.join(', ')}; files end with ${readSuffixes}`;
  const seen = listFolder(dataFolder).map(({ name }) => name);
  const more = seen.length > 10 ? ` and ${seen.length - 10} more` : '';
  const found = seen.length === 0 ? 'nothing' : `${seen.slice(0, 10).join(', ')}${more}`;
  return `${dataFolder}: no files of declared sources; every source is empty; ${wanted}; there is ${found}`;
}
