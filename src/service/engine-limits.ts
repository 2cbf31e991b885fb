import { availableParallelism } from 'node:os';
import type { Settings } from '../config/settings.js';
import type { EnginePoolOptions } from '../engine/pool/pool.js';
import type { FileReport } from '../logs/load/report.js';
import { countedMemory, engineMemory, printMemory } from './memory.js';

/** The engine limits that the settings define. */
export function engineLimits(
  settings: Settings,
): Omit<EnginePoolOptions, 'callers' | 'onStartFailure'> {
  const maxResidentBytes = engineMemory(settings);
  return {
    memoryLimit: printMemory(countedMemory(maxResidentBytes)),
    maxResidentBytes,
    threads: settings.threads ?? availableParallelism(),
    maxConcurrentQueries: settings.maxConcurrentQueries,
    maxQueuedQueries: settings.maxQueuedQueries,
    queryTimeoutMs: settings.queryTimeout,
    maxResultBytes: settings.maxResultBytes,
  };
}

/** The rows of a row group, the smallest piece of a table that DuckDB gives to a thread. */
const rowGroupRows = 122_880;

/**
 * The threads of an engine over these logs: by default no more than the logs have row groups. A thread without one
 * only takes work from another thread, whose caches are warm; a small query then takes 0.3 ms longer.
 */
export function engineThreads(
  { threads }: Pick<Settings, 'threads'>,
  files: readonly Pick<FileReport, 'records'>[],
): number {
  const records = files.reduce((sum, file) => sum + file.records, 0);
  const groups = Math.max(1, Math.ceil(records / rowGroupRows));
  return threads ?? Math.min(availableParallelism(), groups);
}
