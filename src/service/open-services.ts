import { availableParallelism } from 'node:os';
import { createCache } from '../cache/cache.js';
import type { Schedule } from '../cache/timers.js';
import type { RenewalFailure } from '../cache/warmer.js';
import { type Compiler, createCompiler, type StoredQuery } from '../compiler/compile.js';
import { type CompileSandbox, compileHere } from '../compiler/compile-sandbox.js';
import type { Settings } from '../config/settings.js';
import { openCatalog } from '../endpoint/catalog.js';
import { printTimestamp } from '../endpoint/timestamp.js';
import type { EngineData } from '../engine/duckdb/duckdb.js';
import { readMacros } from '../engine/duckdb/read-macros.js';
import type { Engine } from '../engine/engine.js';
import type { EnginePoolOptions } from '../engine/pool/pool.js';
import type { SourceSchema } from '../types/schema.js';
import { type LoadedLogs, type Logs, loadLogs, shippedPath, warningLines } from './load-logs.js';
import { countedMemory, engineMemory, printMemory } from './memory.js';
import type { Services } from './run-endpoint.js';
import { createServing, type ServedData } from './serving.js';
import type { ProgressOutput } from './show-progress.js';

/** What answers requests, and the logs it answers from at first. */
export interface Opened<E extends Engine = Engine> extends Services {
  readonly compiler: Compiler;
  readonly engine: E;
  readonly logs: LoadedLogs;
  /** The same as they become. */
  readonly allLogs: Logs;
  /** What answers from other logs. */
  readonly openData: (logs: LoadedLogs) => Promise<ServedData>;
  /** Loads everything anew where the stored files are damaged; false where nothing is wrong with them. */
  readonly repair: () => Promise<boolean>;
}

/** What an engine is opened with, alone or as one of a pool's. */
export type EngineOptions = EngineData & Omit<EnginePoolOptions, 'callers'>;

/** What not every verb has alike. */
export interface ServerParts {
  /** How many statements could start right now without anybody waiting for it. */
  readonly spare: () => number;
  readonly onRenewalFailure: RenewalFailure;
  /** What compiles callers' queries over one state of the logs; by default this thread does. */
  readonly openCompile?: (data: DataToCompile) => CompileSandbox;
  /** Where the progress of a load is shown. */
  readonly output?: ProgressOutput;
  /** Hears what is wrong with the log files, a line each. */
  readonly onWarning?: (line: string) => void;
  /** As {@link loadLogs} takes it. */
  readonly verifiedBytes?: number;
}

/** One state of the logs, and the stored queries, to compile callers' queries over. */
export interface DataToCompile {
  readonly version: string;
  readonly sources: readonly SourceSchema[];
  readonly endpoints: readonly StoredQuery[];
}

/** What the verbs have that run once. */
export const alone: ServerParts = { spare: () => 1, onRenewalFailure: () => {} };

/**
 * Loads the logs, compiles the endpoints and starts the engine.
 * @throws SetupError for whatever keeps the program from answering
 */
export async function openServices<E extends Engine>(
  settings: Settings,
  openEngine: (options: EngineOptions) => Promise<E>,
  parts: ServerParts = alone,
): Promise<Opened<E>> {
  const { spare, onRenewalFailure, onWarning, output, verifiedBytes, openCompile } = parts;
  const limits = engineLimits(settings);
  const openData = async (logs: LoadedLogs) => {
    const { databaseFile, sources, version } = logs;
    const compiler = createCompiler(sources);
    const engine = await openEngine({ ...limits, databaseFile, sources });
    // By now the catalog, which opens while the first engine does, is there.
    const { endpoints } = catalog;
    const compileSandbox = openCompile?.({ version, sources, endpoints }) ?? compileHere(compiler);
    return { compiler, compileSandbox, version, engine };
  };
  const allLogs = await loadLogs(settings, output, verifiedBytes);
  const opening = openSound(allLogs, openData);
  // Of the two failures that of the catalog is told.
  opening.catch(() => {});
  // While the engine opens.
  const folder = settings.endpoints ?? shippedPath('endpoints');
  const catalog = openCatalog(folder, createCompiler(allLogs.first.sources));
  const { logs, data } = await opening;
  for (const line of warningLines(logs)) onWarning?.(line);
  const serving = createServing(data);
  const cache = createCache({
    maxBytes: settings.cacheSize,
    now: () => performance.now(),
    dataVersion: () => serving.version,
    spare,
    schedule,
    onRenewalFailure,
  });
  const now = () => printTimestamp(Date.now());
  const repair = async () => {
    const anew = (await allLogs.verify()) ? undefined : await allLogs.reload();
    if (anew !== undefined) await serving.replace(await openData(anew));
    return anew !== undefined;
  };
  return { ...data, catalog, cache, serving, now, logs, allLogs, openData, repair };
}

/** Large database files are looked at in places only: one that cannot be opened is looked at whole. */
async function openSound<D>(
  { first, verify, reload }: Logs,
  openData: (logs: LoadedLogs) => Promise<D>,
): Promise<{ readonly logs: LoadedLogs; readonly data: D }> {
  try {
    return { logs: first, data: await openData(first) };
  } catch (error) {
    const anew = (await verify()) ? undefined : await reload();
    if (anew === undefined) throw error;
    return { logs: anew, data: await openData(anew) };
  }
}

/** What the settings say of engines. */
export function engineLimits(settings: Settings): Omit<EngineOptions, keyof EngineData> {
  const maxResidentBytes = engineMemory(settings);
  return {
    macros: readMacros(),
    memoryLimit: printMemory(countedMemory(maxResidentBytes)),
    maxResidentBytes,
    threads: settings.threads ?? availableParallelism(),
    maxConcurrentQueries: settings.maxConcurrentQueries,
    maxQueuedQueries: settings.maxQueuedQueries,
    queryTimeoutMs: settings.queryTimeout,
    maxResultBytes: settings.maxResultBytes,
  };
}

/** The longest delay that a timer of Node's takes. */
const longestMs = 2 ** 31 - 1;

/** Does work later, where the process lives that long. */
const schedule: Schedule = (work, delayMs) => {
  const timer = setTimeout(work, Math.min(delayMs, longestMs)).unref();
  return () => clearTimeout(timer);
};
