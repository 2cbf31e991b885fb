import { totalmem } from 'node:os';
import type { Settings } from '../settings.js';

/**
 * Of a loading process the share that DuckDB counts; the rest is the program, the buffers of the
 * JSON reader, and what the allocator keeps. With less than the least a million rows cannot be
 * sorted: there the process comes to some 250 MB more.
 */
const countedShare = 0.6;
const leastCounted = 500_000_000;

/** What DuckDB may take while it loads, in bytes: of the limit that is given, or of half of what there is. */
export function loadMemory({ memoryLimit }: Settings): number {
  const memory = memoryLimit ?? availableMemory() / 2;
  return Math.max(memory * countedShare, Math.min(memory, leastCounted));
}

/** What an engine process cannot do without, in bytes. */
const leastMemory = 256 * 1024 ** 2;

/** Memory for each engine process in bytes: half of what there is, shared by all of them and a spare. */
export function engineMemory({ memoryLimit, maxConcurrentQueries }: Settings): number {
  return memoryLimit ?? Math.max(leastMemory, availableMemory() / 2 / (maxConcurrentQueries + 1));
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
