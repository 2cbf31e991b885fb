import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError } from '../errors.js';
import type { Settings } from '../settings.js';
import { readDeclaredSources } from '../source/declared.js';
import type { DatabaseFolder } from '../source/disk-cache.js';
import { loadSourcesInChild } from '../source/load-in-child.js';
import { type FileReport, refuseFaults } from '../source/load-report.js';
import { emptyManifest, type Manifest, reportsOf } from '../source/manifest.js';
import { mergeSmallParts, withMerged } from '../source/merge-small-parts.js';
import { type RefreshOptions, refresh } from '../source/refresh.js';
import type { SourceSchema } from '../source/schema.js';
import { openLogCache } from './log-cache.js';
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

/** A file or folder of the package's `sql` folder. */
export function shippedPath(name: string): string {
  return fileURLToPath(new URL(`../../sql/${name}`, import.meta.url));
}

/** The sources as the package declares them, without any file of logs. */
export function declaredSources(): readonly SourceSchema[] {
  return readDeclaredSources(shippedPath('sources'));
}

/**
 * Loads the log files of `--data`, or opens what an earlier run has stored of them; where
 * `--memory-limit` is given, it holds for the load too.
 * @throws SetupError without `--data`, and for whatever is wrong with the folder
 */
export async function loadLogs(
  settings: Settings,
  output: ProgressOutput = progressOutput(),
): Promise<Logs> {
  const { data, strict, watch } = settings;
  if (data === undefined) throw new SetupError(['--data is missing: the folder of the log files']);
  const declared = declaredSources();
  const { cache, warnings } = openLogCache(settings, data, declared);
  const options: RefreshOptions = {
    dataFolder: data,
    declared,
    cache,
    load: loadWith(settings, output),
    awaitsLines: watch,
    now: Date.now,
  };
  const stored = await cache.read();
  let manifest = await refresh(stored.manifest ?? emptyManifest, options);
  refuseFaults(data, reportsOf(manifest), strict);
  await cache.keep(manifest);
  const logsOf = (next: Manifest) => toLogs(next, { dataFolder: data, cache });
  const replace = async (next: Manifest) => {
    if (next === manifest) return undefined;
    manifest = next;
    await cache.keep(next);
    return logsOf(next);
  };
  const first = logsOf(manifest);
  const told = [...warnings, ...(stored.isDamaged ? [damaged] : []), ...first.warnings];
  return {
    first: { ...first, warnings: told },
    refresh: async () => replace(await refresh(manifest, options)),
    merge: async () => {
      const merges = await mergeSmallParts(manifest, options);
      return async () => replace(withMerged(manifest, merges));
    },
    verify: cache.verify,
    reload: async () => replace(await refresh(emptyManifest, options)),
  };
}

const damaged = 'the disk cache was damaged: everything was loaded anew';

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

interface Place {
  readonly dataFolder: string;
  readonly cache: DatabaseFolder;
}

function toLogs(manifest: Manifest, { dataFolder, cache }: Place): LoadedLogs {
  const { parts, schemas, files, warnings } = manifest;
  const { folder } = cache;
  const sources = schemas.map((schema): SourceSchema => {
    const own = parts.filter(({ source }) => source === schema.name);
    const stored = own.map(({ database }, place) => ({
      file: join(folder, database),
      view: `${schema.name}/${place}`,
    }));
    return { ...schema, parts: stored };
  });
  const empty = `${dataFolder}: no file of a declared source; every source is empty`;
  return {
    databaseFile: sources[0]?.parts?.[0]?.file ?? '',
    sources,
    files: reportsOf(manifest),
    warnings: [...(files.length === 0 ? [empty] : []), ...Object.values(warnings).flat()],
    version: createHash('sha256').update(JSON.stringify(sources)).digest('base64url'),
    release: cache.hold(parts.map(({ database }) => database)),
  };
}
