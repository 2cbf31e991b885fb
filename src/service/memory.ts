import { totalmem } from 'node:os';
import type { Settings } from '../config/settings.js';

/**
 * Of a loading process the share that DuckDB counts. The rest is the program, the buffers of the JSON
 * reader, and what the allocator keeps: 200 MB of a million records that are in order, 380 MB where
 * they must be sorted. With less than the least for DuckDB a million can hardly be written at all.
 */
const loadShare = 0.6;
const loadBeside = 400_000_000;
const leastLoad = 120_000_000;

/** What DuckDB may take while it loads, in bytes: of the limit that is given, or of half of what there is. */
export function loadMemory({ memoryLimit }: Settings): number {
  const memory = memoryLimit ?? availableMemory() / 2;
  return Math.max(Math.min(memory * loadShare, memory - loadBeside), leastLoad);
}

/** What an engine process cannot do without, in bytes. */
const leastMemory = 256 * 1024 ** 2;

/** Memory for each engine process in bytes: half of what there is, shared by all of them and a spare. */
export function engineMemory({ memoryLimit, maxConcurrentQueries }: Settings): number {
  return memoryLimit ?? Math.max(leastMemory, availableMemory() / 2 / (maxConcurrentQueries + 1));
}

/**
 * What an engine process takes beside what DuckDB counts, and what must be left for one statement to
 * outgrow it: a process whose data fill DuckDB's cache is to be used again.
 */
const uncountedBytes = 400_000_000;
const leastCountedShare = 0.35;

/** Of an engine process's memory what DuckDB may count on, its cache of the data included; in bytes. */
export function countedMemory(maxResidentBytes: number): number {
  return Math.max(maxResidentBytes - uncountedBytes, maxResidentBytes * leastCountedShare);
}

// A container's limit; where there is none Node says 0 or more than the machine has.
function availableMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}

/** Bytes as DuckDB reads them. */
export function printMemory(bytes: number): string {
  return `${Math.floor(bytes / 1_000_000)}MB`;
}
