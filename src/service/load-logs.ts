import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { packagePath } from '../common/package-paths.js';
import type { Settings } from '../config/settings.js';
import { SetupError } from '../errors/errors.js';
import { readDeclaredSources } from '../logs/columns/declared-sources.js';
import { loadSourcesInChild } from '../logs/load/load-in-child.js';
import { type FileReport, faultLines, refuseFaults } from '../logs/load/report.js';
import { shownSchemas } from '../logs/refresh/compose-manifest.js';
import {
  hasManyParts,
  type Merge,
  mergeSmallParts,
  withMerged,
} from '../logs/refresh/merge-small-parts.js';
import { type RefreshOptions, refresh } from '../logs/refresh/refresh.js';
import { emptyManifest, type Manifest, onlyProject, reportsOf } from '../logs/store/manifest.js';
import type { DiskCache } from '../logs/store/store.js';
import type { SourceSchema } from '../types/schema.js';
import { codeOf, openLogCache } from './log-cache.js';
import { loadMemory, printMemory } from './memory.js';
import { createProgressView, type ProgressOutput, progressOutput } from './show-progress.js';

/** One state of the logs, in database files. */
export interface LoadedLogs {
  /** A database file of ours; which tables of which files hold a source, it says itself. */
  readonly databaseFile: string;
  readonly sources: readonly SourceSchema[];
  readonly files: readonly FileReport[];
  readonly warnings: readonly string[];
  /** Another one for every state of the log files. */
  readonly version: string;
  /** Gives up the database files, where no other state needs them. */
  readonly release: () => void;
}

/** The logs of a data folder, as they are and as they become. */
export interface Logs {
  /** As they were at first. */
  readonly first: LoadedLogs;
  /** Loads what the files hold beyond what was loaded; undefined where that is nothing. @throws SetupError */
  refresh(): Promise<LoadedLogs | undefined>;
  /**
   * Makes few parts of many, which hold the same, where there are many. That takes as long as there is
   * much; only what it gives at its end must not be called while one of the others works.
   * @throws SetupError
   */
  merge(): Promise<() => Promise<LoadedLogs | undefined>>;
  /** Whether the database files are what they were when they were written. */
  verify(): Promise<boolean>;
  /** Loads everything anew. @throws SetupError */
  reload(): Promise<LoadedLogs | undefined>;
}

/** What is wrong with the files of some logs, and with where they are kept; a line each. */
export function warningLines({ warnings, files }: LoadedLogs): readonly string[] {
  return [...warnings, ...faultLines(files)];
}

/** A file or folder of the package's `sql` folder. */
export function shippedPath(name: string): string {
  return packagePath(join('sql', name));
}

/** The sources as the package declares them, without any file of logs. */
export function declaredSources(): readonly SourceSchema[] {
  return readDeclaredSources(shippedPath('sources'));
}

/**
 * Loads the log files of `--data`, or opens what an earlier run has stored of them; where
 * `--memory-limit` is given, it holds for the load too. Of stored files of more than `verifiedBytes` only
 * samples are looked at: what is wrong with the rest, the engine finds when it reads it.
 * @throws SetupError without `--data`, and for whatever is wrong with the folder
 */
export async function loadLogs(
  settings: Settings,
  output: ProgressOutput = progressOutput(),
  verifiedBytes?: number,
): Promise<Logs> {
  const { data, strict, watch } = settings;
  if (data === undefined) throw new SetupError(['--data is missing: the folder of the log files']);
  const declared = declaredSources();
  const { cache, warnings } = openLogCache(settings, data, declared, verifiedBytes);
  const options: RefreshOptions = {
    dataFolder: data,
    declared,
    cache,
    load: loadWith(settings, output),
    awaitsLines: watch,
    now: Date.now,
  };
  const stored = await cache.read().catch((error: unknown) => {
    const way = 'see --cache-dir and --no-disk-cache';
    throw new SetupError([
      `the disk cache in ${cache.folder} cannot be read (${codeOf(error)}); ${way}`,
    ]);
  });
  const loaded = await refresh(stored.manifest ?? emptyManifest, options);
  const first = await withFewParts(loaded, options);
  const told = [...warnings, ...(stored.isDamaged ? [damaged] : []), ...(await keep(cache, first))];
  refuseFaults(data, reportsOf(first), strict);
  return createLogs(first, told, { ...options, cache });
}

/** A start from what many before it have left; what cannot be merged is many parts all the same. */
async function withFewParts(manifest: Manifest, options: RefreshOptions): Promise<Manifest> {
  if (!hasManyParts(manifest)) return manifest;
  const merges = await mergeSmallParts(manifest, options).catch(() => []);
  return withMerged(manifest, merges);
}

const damaged = 'the disk cache was damaged: everything was loaded anew';

/** Without its cache the program still answers: what is wrong with it is only told. */
async function keep(cache: DiskCache, manifest: Manifest): Promise<readonly string[]> {
  try {
    await cache.keep(manifest);
    return [];
  } catch (error) {
    return [`nothing can be kept in ${cache.folder} (${codeOf(error)}); the next start loads anew`];
  }
}

interface Following extends RefreshOptions {
  readonly cache: DiskCache;
}

function createLogs(first: Manifest, told: readonly string[], options: Following): Logs {
  const { cache } = options;
  let manifest = first;
  const replace = async (next: Manifest) => {
    if (next === manifest) return undefined;
    const warnings = await keep(cache, next);
    manifest = next;
    return toLogs(next, warnings, options);
  };
  return {
    first: toLogs(first, told, options),
    refresh: async () => replace(await refresh(isThere(manifest, cache.folder), options)),
    async merge() {
      const release = cache.hold(manifest.parts.map(({ database }) => database));
      const merges = await mergeSmallParts(manifest, options).finally(release);
      return async () => {
        const next = withMerged(manifest, merges);
        for (const name of unused(merges, next)) cache.discard(name);
        return replace(next);
      };
    },
    verify: cache.verify,
    reload: async () => replace(await refresh(emptyManifest, options)),
  };
}

/** Nothing is stored where somebody has removed a database file. */
function isThere(manifest: Manifest, folder: string): Manifest {
  const names = new Set(manifest.parts.map(({ database }) => database));
  return [...names].every((name) => existsSync(join(folder, name))) ? manifest : emptyManifest;
}

/** The files of merges that came too late. */
function unused(merges: readonly Merge[], { parts }: Manifest): ReadonlySet<string> {
  const used = new Set(parts.map(({ database }) => database));
  return new Set(
    merges.map(({ merged }) => merged.database).filter((database) => !used.has(database)),
  );
}

function loadWith(settings: Settings, output: ProgressOutput): RefreshOptions['load'] {
  const limits = {
    memoryLimit: printMemory(loadMemory(settings)),
    threads: settings.threads ?? availableParallelism(),
  };
  return async (load) => {
    const progress = createProgressView(output);
    return loadSourcesInChild({ ...limits, ...load }, progress.show).finally(progress.end);
  };
}

function toLogs(
  manifest: Manifest,
  told: readonly string[],
  { dataFolder, declared, cache }: Following,
): LoadedLogs {
  const { parts, files, warnings } = manifest;
  const { folder } = cache;
  const sources = shownSchemas(manifest, declared).map((schema): SourceSchema => {
    const own = parts.filter(({ source }) => source === schema.name);
    const stored = own.map(({ database }, place) => ({
      file: join(folder, database),
      view: `${schema.name}/${place}`,
    }));
    const { projectPath } = declared.find(({ name }) => name === schema.name) ?? {};
    const only = onlyProject(own);
    return {
      ...schema,
      parts: stored,
      ...(projectPath && { projectPath }),
      ...(only !== undefined && { onlyProject: only }),
    };
  });
  const empty = `${dataFolder}: no file of a declared source; every source is empty`;
  return {
    databaseFile: sources[0]?.parts?.[0]?.file ?? '',
    sources,
    files: reportsOf(manifest),
    warnings: [...told, ...(files.length === 0 ? [empty] : []), ...Object.values(warnings).flat()],
    version: createHash('sha256').update(JSON.stringify(sources)).digest('base64url'),
    release: cache.hold(parts.map(({ database }) => database)),
  };
}
