import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SetupError } from '../errors.js';
import type { Settings } from '../settings.js';
import { readDeclaredSources } from '../source/declared.js';
import type { LoadReport } from '../source/load.js';
import { loadSourcesInChild } from '../source/load-in-child.js';
import type { SourceSchema } from '../source/schema.js';
import { createProgressView, type ProgressOutput, progressOutput } from './show-progress.js';
import { makeTemporaryFolder } from './temporary-folder.js';

/**
 * Of a loading process the share that DuckDB counts; the rest is the program, the buffers of the
 * JSON reader, and what the allocator keeps. With less than the least a million rows cannot be
 * sorted: there the process comes to some 250 MB more.
 */
const countedShare = 0.6;
const leastCounted = 500_000_000;

/** The logs in a database file of this process, which goes when the process does. */
export interface LoadedLogs extends LoadReport {
  readonly databaseFile: string;
}

/** A file or folder of the package's `sql` folder. */
export function shippedPath(name: string): string {
  return fileURLToPath(new URL(`../../sql/${name}`, import.meta.url));
}

/** The sources as the package declares them, without any file of logs. */
export function declaredSources(): readonly SourceSchema[] {
  return readDeclaredSources(shippedPath('sources'));
}

/**
 * Loads the log files of `--data`; where `--memory-limit` is given, it holds for the load too.
 * @throws SetupError without `--data`, and for whatever is wrong with the folder
 */
export async function loadLogs(
  { data, strict, ...limits }: Settings,
  output: ProgressOutput = progressOutput(),
): Promise<LoadedLogs> {
  if (data === undefined) throw new SetupError(['--data is missing: the folder of the log files']);
  const databaseFile = join(makeTemporaryFolder(), 'logs.duckdb');
  const memory = limits.memoryLimit ?? availableMemory() / 2;
  const options = {
    dataFolder: data,
    declared: declaredSources(),
    database: databaseFile,
    memoryLimit: printMemory(Math.max(memory * countedShare, Math.min(memory, leastCounted))),
    threads: limits.threads ?? availableParallelism(),
    strict,
  };
  const progress = createProgressView(output);
  const report = await loadSourcesInChild(options, progress.show).finally(progress.end);
  return { ...report, databaseFile };
}

/** Memory for each engine process in bytes: half of what there is, shared by all of them and a spare. */
export function engineMemory({ memoryLimit, maxConcurrentQueries }: Settings): number {
  return memoryLimit ?? availableMemory() / 2 / (maxConcurrentQueries + 1);
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
