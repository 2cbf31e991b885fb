import { availableParallelism } from 'node:os';
import type { Settings } from '../config/settings.js';
import type { EnginePoolOptions } from '../engine/pool/pool.js';
import type { FileReport } from '../logs/load/report.js';
import { countRecords } from '../logs/store/manifest.js';
import { countedMemory, engineMemory, printMemory, secondRun } from './memory.js';

/** The engine limits that the settings define for this many processes, by default with a spare one. */
export function engineLimits(
  settings: Settings,
  processes = settings.maxConcurrentQueries + 1,
): Omit<EnginePoolOptions, 'callers' | 'onStartFailure'> {
  const maxResidentBytes = engineMemory(settings, processes);
  return {
    memoryLimit: printMemory(countedMemory(maxResidentBytes)),
    maxResidentBytes,
    secondRun: secondRun(maxResidentBytes),
    maxConcurrentQueries: settings.maxConcurrentQueries,
    maxQueuedQueries: settings.maxQueuedQueries,
    queryTimeoutMs: settings.queryTimeout,
    maxResultBytes: settings.maxResultBytes,
  };
}

/** The rows of a full row group, the smallest piece of a table that DuckDB gives to a thread. */
const rowGroupRows = 122_880;

/**
 * Returns the number of threads for an engine over these log files: by default one per core, but at most one per full
 * row group. A thread without its own row group takes single tasks from a thread whose caches are warm, which costs a
 * small query 0.3 ms. A query that turns few records into many rows takes longer with fewer threads: see `--threads`.
 */
export function engineThreads(
  { threads }: Pick<Settings, 'threads'>,
  files: readonly Pick<FileReport, 'records'>[],
): number {
  const groups = Math.max(1, Math.ceil(countRecords(files) / rowGroupRows));
  return threads ?? Math.min(availableParallelism(), groups);
}
