import { availableParallelism } from 'node:os';
import type { Settings } from '../config/settings.js';
import type { EnginePoolOptions } from '../engine/pool/pool.js';
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
