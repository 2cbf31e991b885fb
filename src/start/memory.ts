import { totalmem } from 'node:os';
import type { Settings } from '../config/settings.js';

/**
 * The share of a loading process's memory that goes to DuckDB's limit. The rest is for the program, the buffers of
 * the JSON reader, and memory retained by the allocator: 200 MB for a million records in order, 380 MB if they must
 * be sorted. DuckDB needs at least `minLoadBytes` to write a million records.
 */
const loadShare = 0.6;
const loadOverheadBytes = 400_000_000;
const minLoadBytes = 120_000_000;

/**
 * Returns DuckDB's memory limit for loading, in bytes, derived from `--memory-limit`, or from half of the available
 * memory.
 */
export function loadMemory({ memoryLimit }: Settings): number {
  const memory = memoryLimit ?? availableMemory() / 2;
  return Math.max(Math.min(memory * loadShare, memory - loadOverheadBytes), minLoadBytes);
}

/** The minimum for an engine process, in bytes. */
const minEngineBytes = 256 * 1024 ** 2;

/** Returns the memory for each of some engine processes in bytes: an equal share of half of the available memory. */
export function engineMemory({ memoryLimit }: Settings, processes: number): number {
  return memoryLimit ?? Math.max(minEngineBytes, availableMemory() / 2 / processes);
}

/**
 * The memory of an engine process that DuckDB's limit does not count. It also leaves space for a statement that
 * exceeds the limit: a process with a full cache should survive that.
 */
const uncountedBytes = 400_000_000;
const minCountedShare = 0.35;

/** Returns DuckDB's memory limit in an engine process, including its cache of the data, in bytes. */
export function countedMemory(maxResidentBytes: number): number {
  return Math.max(maxResidentBytes - uncountedBytes, maxResidentBytes * minCountedShare);
}

/**
 * DuckDB reserves a whole vector, of 2,048 rows, for each field of each step of a plan, even if it fills only one row:
 * 13 MB a step for 400 strings. A statement that reserves more than the limit, but has filled less than `maxFilledShare`
 * of it, runs again and may reserve this many times the memory of the process.
 */
const reservedFactor = 16;
const maxFilledShare = 0.75;

/** Returns DuckDB's memory limit, and the growth of the process in bytes up to which a refused statement runs again. */
export function secondRun(maxResidentBytes: number) {
  return {
    memoryLimit: printMemory(maxResidentBytes * reservedFactor),
    maxGrowthBytes: countedMemory(maxResidentBytes) * maxFilledShare,
  };
}

// The container's limit; without one, Node returns 0 or more than the machine has.
function availableMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** Prints bytes in DuckDB's notation. */
export function printMemory(bytes: number): string {
  return `${Math.floor(bytes / 1_000_000)}MB`;
}
