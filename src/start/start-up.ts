import { resolve } from 'node:path';
import { type CacheOptions, createCache } from '../cache/cache.js';
import type { RenewalFailure, Schedule } from '../cache/warmer.js';
import { type CompilerTarget, createCompiler, type StoredQuery } from '../compiler/compile.js';
import {
  type Compile,
  type CompileData,
  compileApart,
  compileHere,
} from '../compiler/compile-sandbox.js';
import {
  createStatementMemory,
  digestSchemas,
  type StatementMemory,
} from '../compiler/statement-memory.js';
import { readPreset } from '../config/preset.js';
import type { Settings } from '../config/settings.js';
import { type EndpointFolder, openCatalog } from '../endpoint/catalog.js';
import { printTimestamp } from '../endpoint/timestamp.js';
import type { Engine } from '../engine/engine.js';
import type { EnginePoolOptions, OpenOptions } from '../engine/pool/pool.js';
import { packagePath } from '../process/package-paths.js';
import { newestTable } from '../rows/newest-table.js';
import { servedVersion } from '../run/data-version.js';
import { createServing, type ServedData } from '../run/serving.js';
import { type SourceSchema, withOpenFields } from '../types/schema.js';
import { engineLimits, engineThreads } from './engine-limits.js';
import { type LoadLogsOptions, loadLogs } from './load-logs.js';
import { type LoadedLogs, type Logs, warningLines } from './logs.js';
import { createShift } from './shift-to-now.js';
import { sourceEndpoints } from './source-endpoints.js';

/** The opened services; `logs` are the first that they serve, and `allLogs` includes later changes. */
export type OpenedServices<E extends Engine = Engine> = Awaited<ReturnType<typeof openServices<E>>>;

/** The options of an engine, in this process or in a pool. */
export type EngineOptions = OpenOptions & Omit<EnginePoolOptions, 'callers'>;

/** The parts of start-up that differ between verbs. */
export interface StartOptions extends LoadLogsOptions {
  /** The number of statements that could start now without delaying a request. */
  readonly spare: () => number;
  readonly onRenewalFailure: RenewalFailure;
  /** The number of processes that share the memory; by default those of the settings. */
  readonly processes?: number;
  /** Opens a compiler for callers' queries over one state of the logs; by default they compile on this thread. */
  readonly openCompile?: (data: CompileData) => Compile;
  /** The cached statements, if other services in this process share them. */
  readonly statements?: StatementMemory;
  /**
   * Opens the logs: tables elsewhere, or files that are already being loaded. By default, loads the logs of `--data`
   * with these options.
   */
  readonly openLogs?: (settings: Settings) => Promise<Logs>;
  /** Set for an engine other than DuckDB. */
  readonly target?: CompilerTarget | undefined;
  /** Called with each warning about the log files. */
  readonly onWarning?: (line: string) => void;
  /**
   * Called with the same warnings if there are no log files, because the folder may be the wrong one; by default
   * `onWarning`.
   */
  readonly onEmpty?: (line: string) => void;
}

/** The options of the verbs that run a single query, in this process. */
export const singleRun: StartOptions = {
  spare: () => 1,
  onRenewalFailure: () => {},
  processes: 1,
};

/**
 * Loads the logs, compiles the endpoints and opens the engine.
 * @throws SetupError for anything that prevents the program from serving
 */
export async function openServices<E extends Engine>(
  settings: Settings,
  openEngine: (options: EngineOptions) => Promise<E>,
  options: StartOptions = singleRun,
) {
  const { spare, onRenewalFailure, onWarning, onEmpty = onWarning } = options;
  const limits = engineLimits(settings, options.processes);
  const shift = settings.shiftToNow ? createShift(settings.now, onWarning) : undefined;
  /** Opens a compiler and an engine over other logs. */
  const openData = async (logs: LoadedLogs) => {
    const { databaseFile, version, sources: stored } = logs;
    const threads = engineThreads(settings, logs.files);
    const newest = stored.flatMap((source) => newestTable(source) ?? []);
    const engine = await openEngine({ ...limits, threads, databaseFile, sources: stored, newest });
    const sources = (await shift?.(stored, engine)) ?? stored;
    return { ...compileOver(sources), sources, version, engine };
  };
  // The catalog opens while the first engine does, so it is ready by then.
  const compileOver = createCompileOver(options, () => catalog.endpoints);
  const allLogs = await (options.openLogs?.(settings) ?? loadLogs(settings, options));
  const opening = openIntact(allLogs, openData);
  // Opening the catalog may fail too; then its error is the one to report.
  opening.catch(() => {});
  const folders = endpointFolders(settings, allLogs.first.declared);
  const overLogs = createCompiler(allLogs.first.sources, options);
  const others = leastData(allLogs.first).map((sources) => createCompiler(sources, options));
  const { catalog, warnings } = openCatalog(folders, overLogs, others);
  const { logs, data } = await opening;
  const warnOfLogs = logs.files.length === 0 ? onEmpty : onWarning;
  for (const line of warnings) onWarning?.(line);
  for (const line of warningLines(logs)) warnOfLogs?.(line);
  const serving = createServing(data);
  const cache = openCache(settings, {
    // A remote engine does not report changes to its tables.
    maxKeptBytes: data.engine.dialect.isRemote ? 0 : settings.queryCache,
    dataVersion: (reads) => servedVersion({ serving, catalog }, reads),
    spare,
    onRenewalFailure,
  });
  const now = () => printTimestamp(Date.now());
  /** Reloads everything if the stored files are damaged; false if they are intact. */
  const repair = async () => {
    const reloaded = (await allLogs.verify()) ? undefined : await allLogs.reload();
    if (reloaded !== undefined) await serving.replace(await openData(reloaded));
    return reloaded !== undefined;
  };
  return { ...data, catalog, cache, serving, now, logs, allLogs, openData, repair };
}

/** Returns the sources as declared, and also with the names of all fields, but without types for undeclared ones. */
export function leastData({
  declared,
  sources,
}: Readonly<Record<'declared' | 'sources', readonly SourceSchema[]>>) {
  return [declared, sources.map(withOpenFields)];
}

/** Returns a function that compiles over sources; reuses the compiler until their schemas change. */
function createCompileOver(
  { openCompile, statements = createStatementMemory(), target }: StartOptions,
  endpoints: () => readonly StoredQuery[],
) {
  let last: Pick<ServedData, 'compiler' | 'compile' | 'version'> | undefined;
  return (sources: readonly SourceSchema[]) => {
    const version = digestSchemas(sources);
    if (last?.version === version) return last;
    const compiler = createCompiler(sources, { target });
    const own = target && { target: target.options };
    const data = { version, sources, endpoints: endpoints(), ...own };
    const compile = compileApart(compiler, openCompile?.(data) ?? compileHere(compiler));
    last = { version, compiler, compile: statements.over(sources, compile) };
    return last;
  };
}

function openCache(
  { cacheSize: maxBytes }: Settings,
  parts: Pick<CacheOptions, 'dataVersion' | 'maxKeptBytes' | 'onRenewalFailure' | 'spare'>,
) {
  return createCache({ ...parts, maxBytes, now: () => performance.now(), schedule });
}

/**
 * Returns the endpoint files: the user's own, if any, then those of the preset, the shipped ones, and one for each
 * source that is not shipped.
 */
export function endpointFolders(
  { endpoints, preset, engine }: Pick<Settings, 'endpoints' | 'preset' | 'engine'>,
  declared: readonly SourceSchema[],
): readonly EndpointFolder[] {
  const shipped = packagePath('sql/endpoints');
  const isOwn = endpoints !== undefined && resolve(endpoints) !== resolve(shipped);
  return [
    ...(isOwn ? [endpoints] : []),
    ...(preset === undefined ? [] : [readPreset(preset)]),
    shipped,
    ...(engine === 'bigquery' ? [] : [sourceEndpoints(declared, preset)]),
  ];
}

/**
 * Opens the data; on failure, verifies the stored files in full and reloads damaged ones. (At start, only the size of
 * a large database file is verified.)
 */
async function openIntact<D>(
  { first, verify, reload }: Logs,
  openData: (logs: LoadedLogs) => Promise<D>,
): Promise<{ readonly logs: LoadedLogs; readonly data: D }> {
  try {
    return { logs: first, data: await openData(first) };
  } catch (error) {
    const reloaded = (await verify()) ? undefined : await reload();
    if (reloaded === undefined) throw error;
    return { logs: reloaded, data: await openData(reloaded) };
  }
}

/** Runs work later, without keeping the process alive. */
const schedule: Schedule = (work, delayMs) => {
  const timer = setTimeout(work, delayMs).unref();
  return () => clearTimeout(timer);
};
