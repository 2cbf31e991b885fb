import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { isSameSource } from '../logs/columns/declared-sources.js';
import { shapeIn } from '../logs/files/files.js';
import { listIgnored } from '../logs/files/ignored-files.js';
import { faultLines } from '../logs/load/report.js';
import { mergeSmallParts, withMerged } from '../logs/refresh/merge-small-parts.js';
import { findChangedSources, type RefreshOptions, refresh } from '../logs/refresh/refresh.js';
import { linkDatabases } from '../logs/store/link-databases.js';
import type { Manifest } from '../logs/store/manifest.js';
import * as manifests from '../logs/store/manifest.js';
import type { DiskCache } from '../logs/store/store.js';
import { digestValue } from '../process/digest.js';
import { ignoreErrors } from '../process/ignore-errors.js';
import type { SourceSchema } from '../types/schema.js';
import { errorCode } from './log-cache.js';

/** One version of the logs, stored in database files. */
export type LoadedLogs = ReturnType<typeof toLogs>;

/** The logs of a data folder, now and after changes. */
export type Logs = ReturnType<typeof createLogs>;

/** Applies completed work; undefined if that changes nothing. */
export type Apply = () => Promise<LoadedLogs | undefined>;

/** The warnings about log files and the disk cache, one line each. */
export function warningLines({ warnings, files }: LoadedLogs): readonly string[] {
  return [...warnings, ...faultLines(files)];
}

/** Saves a manifest. An error is only a warning: the program works without its cache. */
export async function saveManifest(
  cache: DiskCache,
  manifest: Manifest,
): Promise<readonly string[]> {
  try {
    await cache.save(manifest);
    return [];
  } catch (error) {
    return [
      `cannot save to ${cache.folder} (${errorCode(error)}); the next start will reload everything`,
    ];
  }
}

/** The options for refreshing and storing logs. */
export interface LogsOptions extends RefreshOptions {
  readonly cache: DiskCache;
  /** Warnings about the declarations and the cache. */
  readonly warnings: readonly string[];
}

/** The stored manifest, and the options with its declarations. */
interface LogsState {
  readonly manifest: Manifest;
  readonly options: LogsOptions;
}

/** Creates logs in this state; `readOptions` reads the declarations of the sources again. */
export function createLogs(
  first: LogsState,
  warnings: readonly string[],
  readOptions: (before: LogsOptions) => LogsOptions,
) {
  let now = first;
  let wanted = first.options;
  const replace = async (manifest: Manifest, options = now.options) => {
    if (manifest === now.manifest && options === now.options) return undefined;
    const news = options === now.options ? [] : options.warnings;
    const saveWarnings = await saveManifest(options.cache, manifest);
    const logs = toLogs(manifest, [...news, ...saveWarnings], options);
    now = { manifest, options };
    return logs;
  };
  return {
    /** The version at the start. */
    first: toLogs(first.manifest, warnings, first.options),
    /**
     * Reads the declarations of the sources again, for the next refresh.
     * @throws SetupError if they have errors; the previous ones stay
     */
    readSources(): void {
      wanted = readOptions(wanted);
    },
    /** Restores removed database files; true if there were any. @throws an error of the file system */
    restore: async () => (await now.options.cache.restore?.()) ?? false,
    /** Loads the changes of all files; undefined if there are none. @throws SetupError */
    refresh: async () => replace(await refreshAll(wanted, now), wanted),
    /**
     * Returns the names of the sources whose files have changed; undefined if there are other changes, so that only
     * `refresh` applies them. @throws SetupError
     */
    changed(): readonly string[] | undefined {
      if (wanted !== now.options || isMissing(now.manifest, wanted.cache.folder)) return undefined;
      return findChangedSources(now.manifest, now.options).map(({ name }) => name);
    },
    /**
     * Loads the changes of one source's files, and returns a function that applies the result. Only that function must
     * not run concurrently with the other methods; if they have replaced the source, it only calls `onReplaced`: the
     * changes must be loaded again. @throws SetupError
     */
    async refreshSource(name: string, onReplaced: () => void): Promise<Apply> {
      const { options } = now;
      const change = await changeSource(name, now);
      return async () => {
        const next =
          options === now.options && manifests.withStoredSource(now.manifest, name, change);
        if (next) return replace(next);
        discardUnused(options.cache, change.after, change.before);
        return void onReplaced();
      };
    },
    /** Returns a line for each file that is not read, with the reason. @throws SetupError */
    ignored: () => listUnread(now.options),
    /**
     * Merges parts if there are many, which takes a while, and returns a function that applies the result. Only that
     * function must not run concurrently with the other methods.
     * @throws SetupError
     */
    async merge(): Promise<Apply> {
      const { manifest, options } = now;
      const release = options.cache.hold(manifests.databasesIn(manifest));
      const merges = await mergeSmallParts(manifest, options).finally(release);
      return async () => {
        // Under other declarations, the parts are in other files.
        const next = options === now.options ? withMerged(now.manifest, merges) : now.manifest;
        discardUnused(options.cache, { parts: merges.map(({ merged }) => merged) }, next);
        return replace(next);
      };
    },
    /** Whether the database files are undamaged. */
    verify: () => now.options.cache.verify(),
    /** Reloads everything. @throws SetupError */
    reload: async () => replace(await refresh(keepTypes(now.manifest, wanted), wanted), wanted),
    /** Returns to the first version, whose database files must be held; undefined if it is the current one. */
    restart: () => replace(first.manifest, first.options),
  };
}

/** Keeps only the types of the fields. */
function keepTypes({ schemas }: Manifest, { declared }: LogsOptions): Manifest {
  const names = new Set(declared.map(({ name }) => name));
  return { ...manifests.emptyManifest, schemas: schemas.filter(({ name }) => names.has(name)) };
}

async function refreshAll(wanted: LogsOptions, now: LogsState): Promise<Manifest> {
  // Restore removed files first; otherwise everything would be loaded again.
  await now.options.cache.restore?.().catch(() => {});
  const { manifest, undo } = moveTo(wanted, now);
  const refreshed = refresh(manifest, wanted);
  refreshed.catch(undo);
  return refreshed;
}

/** Loads the changes of the files of one source; returns its stored state before and after. */
async function changeSource(
  name: string,
  { manifest, options }: LogsState,
): Promise<{ readonly before: Manifest; readonly after: Manifest }> {
  const declared = options.declared.filter((source) => source.name === name);
  const before = manifests.keepSources(manifest, new Set([name]));
  const release = options.cache.hold(manifests.databasesIn(before));
  const after = await refresh(before, { ...options, declared }).finally(release);
  return { before, after };
}

/** Removes the database files of unapplied work, except those that the manifest names. */
function discardUnused(cache: DiskCache, written: Pick<Manifest, 'parts'>, used: Manifest): void {
  const known = manifests.databasesIn(used);
  for (const name of manifests.databasesIn(written)) if (!known.includes(name)) cache.discard(name);
}

/** Keeps the stored sources whose declarations are unchanged. */
function moveTo(
  options: LogsOptions,
  { manifest, options: before }: LogsState,
): { readonly manifest: Manifest; readonly undo: () => void } {
  const present = isMissing(manifest, before.cache.folder) ? manifests.emptyManifest : manifest;
  if (options === before) return { manifest: present, undo: () => {} };
  const same = before.declared.filter((source) => {
    const files = present.files.filter((file) => file.source === source.name);
    const shapes = files.flatMap(({ name, shape = shapeIn(name) }) => shape ?? []);
    const next = options.declared.find(({ name }) => name === source.name);
    return next !== undefined && isSameSource(source, next, shapes);
  });
  const kept = manifests.keepSources(present, new Set(same.map(({ name }) => name)));
  if (options.cache === before.cache) return { manifest: kept, undo: () => {} };
  const linked = linkDatabases(kept, before.cache.folder, options.cache);
  const undo = () => discardUnused(options.cache, linked, manifests.emptyManifest);
  return { manifest: linked, undo };
}

/** Whether a database file was removed. */
function isMissing(manifest: Manifest, folder: string): boolean {
  return !manifests.databasesIn(manifest).every((name) => existsSync(join(folder, name)));
}

/** Returns a line for each file that is not read. @throws SetupError if a folder cannot be listed */
function listUnread({ dataFolder, declared, inputs }: LogsOptions): readonly string[] {
  const { files = [], unread = [] } = inputs?.() ?? {};
  const read = new Set(files.map(({ name }) => name));
  const ignored = dataFolder === undefined ? [] : listIgnored(dataFolder, declared, read);
  return [...ignored, ...unread];
}

function toLogs(manifest: Manifest, cacheWarnings: readonly string[], options: LogsOptions) {
  const { declared, cache, inputs } = options;
  const { parts, files, schemas, warnings } = manifest;
  const { folder } = cache;
  const unreadable = files.filter((file) => file.unreadable !== undefined);
  const sources = schemas.map((schema): SourceSchema => {
    const own = parts.filter(({ source }) => source === schema.name);
    const stored = own.map(({ database, columns }, index) => ({
      file: join(folder, database),
      view: own.length > 1 ? `${schema.name}/${index}` : schema.name,
      ...(columns && { columns }),
    }));
    const { projectPath, aliases } = declared.find(({ name }) => name === schema.name) ?? {};
    const only = manifests.onlyProject(own);
    return {
      ...schema,
      parts: stored,
      ...(projectPath && { projectPath }),
      ...(aliases && { aliases }),
      ...(only !== undefined && { onlyProject: only }),
    };
  });
  return {
    /** The sources as declared. */
    declared,
    /** The files that the command line names. */
    inputs: inputs?.().files ?? [],
    /** One of the database files; `sources` says which file stores which source. */
    databaseFile: sources[0]?.parts?.[0]?.file ?? '',
    sources,
    files: manifests.fileReports(manifest),
    /** The names of the files that cannot be read now, although their records are stored. */
    unreadable: unreadable.map(({ name }) => name),
    warnings: [
      ...cacheWarnings,
      ...(files.length === 0 ? describeEmpty(options) : []),
      // If a folder cannot be listed now, serve the loaded logs anyway.
      ...(ignoreErrors(() => listUnread(options)) ?? []),
      ...unreadable.map(
        (file) => `${file.name}: cannot be read now (${file.unreadable}); its records stay`,
      ),
      ...Object.values(warnings).flat(),
    ],
    /** Different for every version of the log files. */
    version: digestValue(
      sources.map(({ columns, parts = [], ...source }) => {
        return { ...source, columns: digestValue(columns), files: parts.map(({ file }) => file) };
      }),
    ),
    /** Releases the database files, which are removed unless another version needs them. */
    release: cache.hold(manifests.databasesIn(manifest)),
  };
}

function describeEmpty({ dataFolder, inputs, declared }: LogsOptions): readonly string[] {
  if (dataFolder === undefined && inputs === undefined) return [];
  const place = dataFolder ?? 'what the command line names';
  const names = declared.flatMap(({ name, aliases = [] }) => [name, ...aliases]).join(', ');
  return [
    `There is no log file in ${place}, so every table is empty. Is it the right folder? Log files have a format that is recognised, or one of these names: ${names}.`,
  ];
}
