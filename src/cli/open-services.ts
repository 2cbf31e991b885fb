import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { openCatalog } from '../endpoint/catalog.js';
import { printTimestamp } from '../endpoint/timestamp.js';
import type { EngineData } from '../engine/duckdb-engine.js';
import type { Engine } from '../engine/engine.js';
import type { EnginePoolOptions } from '../engine/engine-pool.js';
import { createCompiler } from '../query/compile.js';
import type { Schedule } from '../result/alarms.js';
import { createCache } from '../result/cache.js';
import type { RenewalFailure } from '../result/warmer.js';
import type { Services } from '../run-endpoint.js';
import type { Settings } from '../settings.js';
import { engineMemory, type LoadedLogs, loadLogs, printMemory, shippedPath } from './load-logs.js';

/** What answers requests, and the logs it answers from. */
export interface Opened<E extends Engine = Engine> extends Services {
  readonly engine: E;
  readonly logs: LoadedLogs;
  readonly engineStats: () => EngineStats;
}

/** What an engine has to do, in statements. */
interface EngineStats {
  readonly running: number;
  /** Those that wait for their turn. */
  readonly waiting: number;
}

/** What an engine is opened with, alone or as one of a pool's. */
type EngineOptions = EngineData & Omit<EnginePoolOptions, 'callers'>;

/** What an engine process takes beside what DuckDB counts: the program, and the macros. */
const ownBytes = 150_000_000;

/**
 * Loads the logs, compiles the endpoints and starts the engine.
 * @throws SetupError for whatever keeps the program from answering
 */
export async function openServices<E extends Engine>(
  settings: Settings,
  openEngine: (options: EngineOptions) => Promise<E>,
  onRenewalFailure: RenewalFailure = () => {},
): Promise<Opened<E>> {
  const logs = await loadLogs(settings);
  const compiler = createCompiler(logs.sources);
  const catalog = openCatalog(settings.endpoints ?? shippedPath('endpoints'), compiler);
  const maxResidentBytes = engineMemory(settings);
  const { engine, begun } = countBegun(
    await openEngine({
      databaseFile: logs.databaseFile,
      sources: logs.sources,
      macros: readFileSync(shippedPath('bigquery.sql'), 'utf8'),
      memoryLimit: printMemory(Math.max(maxResidentBytes - ownBytes, maxResidentBytes / 2)),
      maxResidentBytes,
      threads: settings.threads ?? availableParallelism(),
      maxConcurrentQueries: settings.maxConcurrentQueries,
      maxQueuedQueries: settings.maxQueuedQueries,
      queryTimeoutMs: settings.queryTimeout,
      maxResultBytes: settings.maxResultBytes,
    }),
  );
  const most = settings.maxConcurrentQueries;
  const engineStats = () => ({
    running: Math.min(begun(), most),
    waiting: Math.max(0, begun() - most),
  });
  // One database file for the life of the process: nothing under the cache changes.
  const dataVersion = () => '1';
  const cache = createCache({
    maxBytes: settings.cacheSize,
    now: () => performance.now(),
    dataVersion,
    spare: () => most - begun(),
    schedule,
    onRenewalFailure,
  });
  const now = () => printTimestamp(Date.now());
  return { catalog, compiler, cache, engine, dataVersion, now, logs, engineStats };
}

/** An engine, and how many statements it has not answered yet. */
function countBegun<E extends Engine>(engine: E) {
  let begun = 0;
  const run: Engine['run'] = async (statement, options) => {
    begun += 1;
    try {
      return await engine.run(statement, options);
    } finally {
      begun -= 1;
    }
  };
  return { engine: { ...engine, run }, begun: () => begun };
}

/** The longest delay that a timer of Node's takes. */
const longestMs = 2 ** 31 - 1;

/** Does work later, where the process lives that long. */
const schedule: Schedule = (work, delayMs) => {
  const timer = setTimeout(work, Math.min(delayMs, longestMs)).unref();
  return () => clearTimeout(timer);
};
