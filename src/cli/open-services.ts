import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { openCatalog } from '../endpoint/catalog.js';
import type { Engine } from '../engine/engine.js';
import type { EnginePoolOptions } from '../engine/engine-pool.js';
import { createCompiler } from '../query/compile.js';
import { createCache } from '../result/cache.js';
import type { Services } from '../run-endpoint.js';
import type { Settings } from '../settings.js';
import { engineMemory, type LoadedLogs, loadLogs, printMemory, shippedPath } from './load-logs.js';
import type { ProgressOutput } from './show-progress.js';

/** What answers requests, and the logs it answers from. */
export interface Opened<E extends Engine = Engine> extends Services {
  readonly engine: E;
  readonly logs: LoadedLogs;
}

/** What an engine process takes beside what DuckDB counts: the program, and the macros. */
const ownBytes = 150_000_000;

/**
 * Loads the logs, compiles the endpoints and starts the engine.
 * @throws SetupError for whatever keeps the program from answering
 */
export async function openServices<E extends Engine>(
  settings: Settings,
  openEngine: (options: EnginePoolOptions) => Promise<E>,
  output?: ProgressOutput,
): Promise<Opened<E>> {
  const logs = await loadLogs(settings, output);
  const compiler = createCompiler(logs.sources);
  const catalog = openCatalog(settings.endpoints ?? shippedPath('endpoints'), compiler);
  const maxResidentBytes = engineMemory(settings);
  const engine = await openEngine({
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
  });
  const cache = createCache({ maxBytes: settings.cacheSize, now: () => performance.now() });
  // One database file for the life of the process: nothing under the cache changes.
  return { catalog, compiler, cache, engine, dataVersion: '1', logs };
}
