import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { openCatalog } from '../endpoint/catalog.js';
import { type DuckDbEngine, openDuckDbEngine } from '../engine/duckdb-engine.js';
import { createCompiler } from '../query/compile.js';
import { createCache } from '../result/cache.js';
import type { Services } from '../run-endpoint.js';
import type { Settings } from '../settings.js';
import { engineMemory, type LoadedLogs, loadLogs, shippedPath } from './load-logs.js';

/** What answers requests, and the logs it answers from. */
export interface Opened extends Services {
  readonly engine: DuckDbEngine;
  readonly logs: LoadedLogs;
}

/**
 * Loads the logs, compiles the endpoints and starts the engine.
 * @throws SetupError for whatever keeps the program from answering
 */
export async function openServices(settings: Settings): Promise<Opened> {
  const logs = await loadLogs(settings);
  const compiler = createCompiler(logs.sources);
  const catalog = openCatalog(settings.endpoints ?? shippedPath('endpoints'), compiler);
  const engine = await openDuckDbEngine({
    databaseFile: logs.databaseFile,
    sources: logs.sources,
    macros: readFileSync(shippedPath('bigquery.sql'), 'utf8'),
    memoryLimit: engineMemory(settings),
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
