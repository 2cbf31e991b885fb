import { availableParallelism } from 'node:os';
import type { Settings } from '../config/settings.js';
import type { EnginePoolOptions } from '../engine/pool/pool.js';
import type { FileReport } from '../logs/load/report.js';
import { countRecords } from '../logs/store/manifest.js';
import { countedMemory, engineMemory, printMemory } from './memory.js';

/** The engine limits that the settings define. */
export function engineLimits(
  settings: Settings,
): Omit<EnginePoolOptions, 'callers' | 'onStartFailure'> {
  const maxResidentBytes = engineMemory(settings);
  return {
    memoryLimit: printMemory(countedMemory(maxResidentBytes)),
    maxResidentBytes,
    maxConcurrentQueries: settings.maxConcurrentQueries,
    maxQueuedQueries: settings.maxQueuedQueries,
    queryTimeoutMs: settings.queryTimeout,
    maxResultBytes: settings.maxResultBytes,
  };
}

/** The rows of a full row group, the smallest piece of a table that DuckDB gives to a thread. */
const rowGroupRows = 122_880;

/**
 * The threads of an engine over these log files: by default one for each core, but no more than the records would fill row
 * groups. A thread without a row group of its own takes single tasks from a thread whose caches are warm, which costs a
 * small query 0.3 ms. A query that turns few records into many rows takes longer with fewer threads: see `--threads`.
 */
export function engineThreads(
  { threads }: Pick<Settings, 'threads'>,
  files: readonly Pick<FileReport, 'records'>[],
): number {
  const groups = Math.max(1, Math.ceil(countRecords(files) / rowGroupRows));
  return threads ?? Math.min(availableParallelism(), groups);
}
