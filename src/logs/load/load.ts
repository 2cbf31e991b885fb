import { mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '../../process/duckdb-api.js';
import { quoteText } from '../../process/quote.js';
import { defaultMaxFields } from '../columns/budget.js';
import { newIdKey, setIdKey } from '../columns/made-id.js';
import type { LogFile } from '../files/files.js';
import { loadFailure } from './failure.js';
import type { LoadedSource, LoadOptions } from './job.js';
import { removeDatabase, removeLeftovers, spillFolder } from './leftovers.js';
import { loadSource } from './load-source.js';
import { loadMacros } from './macros.js';
import { createMeter, type OnProgress } from './progress.js';
import { registerLoadFunctions } from './register-functions.js';
import * as sorting from './write-sorted.js';

/**
 * Writes a database file with a table for each source in the schema `main`, ordered by timestamp and
 * `id`: the same files always give the same table.
 * @throws SetupError if it cannot be written
 */
export async function load(
  options: LoadOptions,
  onProgress: OnProgress = () => undefined,
): Promise<readonly LoadedSource[]> {
  try {
    const loader = await openLoader(options, spillFolder(options));
    // Free the memory for another attempt.
    return await loadInto(loader, options, onProgress).finally(loader.close);
  } catch (error) {
    removeDatabase(options);
    const next = sorting.isOutOfMemory(error) ? lighter(options) : undefined;
    if (next === undefined) throw loadFailure(error, options.database);
    return await load(next, onProgress);
  } finally {
    removeLeftovers(options);
  }
}

/** With fewer fields, a load needs less memory: each column takes some, even with few values, and lists take much. */
const fewerFields = [200, 0];

/** Returns the options for another attempt after memory ran out. */
function lighter(options: LoadOptions): LoadOptions | undefined {
  const { memoryLimit, maxFields = defaultMaxFields } = options;
  const more = sorting.moreMemory(memoryLimit);
  if (more !== undefined) return { ...options, memoryLimit: more };
  const fewer = fewerFields.find((count) => count < maxFields);
  return fewer === undefined ? undefined : { ...options, maxFields: fewer };
}

type Loader = Awaited<ReturnType<typeof openLoader>>;

/** Opens a DuckDB instance with the loader's macros. */
async function openLoader({ memoryLimit }: LoadOptions, spillTo: string) {
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: memoryLimit,
    threads: '1',
    temp_directory: spillTo,
  });
  try {
    const connection = await instance.connect();
    await connection.run("set timezone = 'UTC'");
    // The last row group of a large file is not full. A checkpoint would merge it with others, and would rewrite most
    // of the table without freeing the old space.
    await connection.run('set max_vacuum_tasks = 0');
    // After a failed write, do not write again when the database is closed: if memory ran out, that would crash the
    // process.
    await connection.run('pragma disable_checkpoint_on_shutdown');
    // Memory retained by the allocator does not count towards the limit, which matters if the limit is small.
    if (sorting.isTight(memoryLimit)) {
      await connection.run("set allocator_flush_threshold = '32MB'");
      await connection.run("set allocator_bulk_deallocation_flush_threshold = '32MB'");
    }
    // Makes the engine track its progress.
    await connection.run('set enable_progress_bar = true');
    await connection.run('set enable_progress_bar_print = false');
    for (const macro of loadMacros) await connection.run(macro);
    registerLoadFunctions(connection);
    const close = () => {
      connection.closeSync();
      instance.closeSync();
    };
    return { connection, connect: () => instance.connect(), close };
  } catch (error) {
    instance.closeSync();
    throw error;
  }
}

/** Writes the database file. After an error, the connection is unusable. */
async function loadInto(
  { connection, connect }: Loader,
  options: LoadOptions,
  onProgress: OnProgress,
): Promise<readonly LoadedSource[]> {
  const { database, sources, memoryLimit, newestRows = 0, idKey = newIdKey() } = options;
  const { maxFields = defaultMaxFields } = options;
  mkdirSync(dirname(database), { recursive: true });
  rmSync(database, { force: true });
  const attaching = isSmall(options) ? smallBlocks : '';
  await connection.run(
    `attach ${quoteText(database)} as out (${sorting.attachOptions(memoryLimit)}${attaching})`,
  );
  await connection.run(setIdKey(idKey));
  await connection.run(`set threads = ${countThreads(options)}`);
  const loaded = [];
  const meter = createMeter(allFiles(sources), onProgress);
  const staging = { memoryLimit, file: join(spillFolder(options), 'stage.duckdb') };
  for (const [index, source] of sources.entries()) {
    // On the disk of the database, which has space for copies of log files.
    const copies = join(spillFolder(options), 'copies', `${index}`);
    let count = 0;
    const newCopyPath = () => {
      mkdirSync(copies, { recursive: true, mode: 0o700 });
      return join(copies, `${count++}`);
    };
    const context = { connection, connect, newestRows, maxFields, meter, staging, newCopyPath };
    loaded.push(await loadSource(context, source));
    // Copies are not needed once their source is written.
    rmSync(copies, { recursive: true, force: true });
  }
  if (haveFewRecords(options, loaded)) await connection.run(withoutCompression);
  // Detaching would do the same, but without reporting failures.
  await connection.run('checkpoint out');
  await connection.run('detach out');
  return loaded;
}

/** Choosing a compression for the columns of a few records takes longer than writing them. */
const withoutCompression = "set force_compression = 'uncompressed'";

/** Columns of this few records take less time to write than their compression takes to choose. */
const fewRecords = 1_000;

/** The maximum size of lines that are written without compression. */
const maxUncompressed = 16_000_000;

function haveFewRecords(options: LoadOptions, loaded: readonly LoadedSource[]): boolean {
  const reports = loaded.flatMap(({ files }) => files.map(({ report }) => report));
  const written = [...reports, ...options.sources.flatMap(({ parts }) => parts)];
  const records = written.reduce((sum, each) => sum + each.records, 0);
  return records < fewRecords && countBytes(options) < maxUncompressed;
}

/** The approximate size of the records of a load as lines. */
function countBytes({ sources }: LoadOptions): number {
  const stored = sources.flatMap(({ parts }) => parts.map(sorting.storedFile));
  return sorting.estimateBytes([...allFiles(sources), ...stored]);
}

/**
 * With fewer bytes of lines, more threads do not shorten a load, but take a quarter more processor time: DuckDB's main
 * thread does not sleep while another one works.
 */
const bytesForThreads = 32_000_000;

function countThreads(options: LoadOptions): number {
  const isSingle = sorting.isTight(options.memoryLimit) || countBytes(options) < bytesForThreads;
  return isSingle ? 1 : options.threads;
}

/** Few records waste most of DuckDB's 256 KB blocks. */
const smallBlocks = ', block_size 16384';

function isSmall({ sources }: LoadOptions): boolean {
  const isNew = sources.every(({ parts }) => parts.length === 0);
  return isNew && sorting.estimateBytes(allFiles(sources)) < 1_000_000;
}

function allFiles(sources: LoadOptions['sources']): readonly LogFile[] {
  return sources.flatMap(({ files }) => files);
}

/**
 * Returns a {@link load} whose DuckDB instance stays open: opening it takes most of the time of a small load. After
 * an error, it retries with a new instance, which may spill to disk.
 */
export function createLoad(): typeof load {
  let loader: Promise<Loader> | undefined;
  let loads: Promise<unknown> = Promise.resolve();
  const loadNext: typeof load = async (options, onProgress = () => undefined) => {
    loader ??= openLoader(options, '');
    try {
      const own = await loader;
      const compressing = "set force_compression = 'auto'";
      await own.connection.run(isSmall(options) ? withoutCompression : compressing);
      return await loadInto(own, options, onProgress);
    } catch {
      await loader.then(({ close }) => close()).catch(() => {});
      loader = undefined;
      removeDatabase(options);
      return load(options, onProgress);
    } finally {
      removeLeftovers(options);
    }
  };
  return (options, onProgress) => {
    const loading = loads.then(() => loadNext(options, onProgress));
    loads = loading.catch(() => {});
    return loading;
  };
}
