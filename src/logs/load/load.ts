import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { DuckDBInstance } from '../../common/duckdb-api.js';
import { quoteText } from '../../common/quote.js';
import { createScanners } from '../scan/scanners.js';
import { loadFailure } from './failure.js';
import type { LoadedSource, LoadOptions } from './job.js';
import { linksPrefix, removeDatabase, removeLeftovers, spillFolder } from './leftovers.js';
import { loadSource } from './load-source.js';
import { loadMacros } from './macros.js';
import { mergeParts } from './merge-parts.js';
import { createMeter, type Meter, type OnProgress } from './progress.js';
import { attachOptions, isOutOfMemory, isTight, moreMemory } from './write-sorted.js';

/**
 * Writes a database file: a table for each source in the schema `main`, in order of timestamp, of
 * equal ones by `id`: the same files make the same table.
 * @throws SetupError for what keeps it from being written
 */
export async function load(
  options: LoadOptions,
  onProgress: OnProgress = () => undefined,
): Promise<readonly LoadedSource[]> {
  const files = options.sources.flatMap((source) => source.files);
  const attempt = (memoryLimit: string): ReturnType<typeof load> =>
    loadAll({ ...options, memoryLimit }, createMeter(files, onProgress)).catch((error) => {
      removeDatabase(options);
      const more = moreMemory(memoryLimit);
      if (!isOutOfMemory(error) || more === undefined) throw error;
      return attempt(more);
    });
  return attempt(options.memoryLimit)
    .catch((error) => {
      removeDatabase(options);
      throw loadFailure(error, options.database);
    })
    .finally(() => removeLeftovers(options, process.pid));
}

/** Where copies of log files are: the disk that takes the database has room for what is as large. */
function copiesFolder(options: LoadOptions): string {
  return join(spillFolder(options), 'copies');
}

/** Another path in a folder each time; the folder is made with the first. */
function newPathsIn(folder: string): () => string {
  let made = 0;
  return () => {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return join(folder, `${made++}`);
  };
}

async function loadAll(options: LoadOptions, meter: Meter): Promise<readonly LoadedSource[]> {
  const { database, sources } = options;
  const links = mkdtempSync(linksPrefix(options, process.pid));
  mkdirSync(dirname(database), { recursive: true });
  rmSync(database, { force: true });
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: options.memoryLimit,
    threads: isTight(options.memoryLimit) ? '1' : String(options.threads),
    temp_directory: spillFolder(options),
  });
  const scanners = createScanners(isTight(options.memoryLimit) ? 1 : options.threads);
  let connection: DuckDBConnection | undefined;
  try {
    connection = await instance.connect();
    await connection.run("set timezone = 'UTC'");
    // A database that could not be written must not be written once more when it is closed: where memory
    // was the reason, that crashes the process.
    await connection.run('pragma disable_checkpoint_on_shutdown');
    // What the allocator keeps, no limit counts; where there is little of it that shows.
    if (isTight(options.memoryLimit)) {
      await connection.run("set allocator_flush_threshold = '32MB'");
      await connection.run("set allocator_bulk_deallocation_flush_threshold = '32MB'");
    }
    // Only so that the engine keeps count of how far it is.
    await connection.run('set enable_progress_bar = true');
    await connection.run('set enable_progress_bar_print = false');
    for (const macro of loadMacros) await connection.run(macro);
    await connection.run(
      `attach ${quoteText(database)} as out (${attachOptions(options.memoryLimit)})`,
    );
    const loaded = [];
    const { memoryLimit } = options;
    const staging = { memoryLimit, file: join(spillFolder(options), 'stage.duckdb') };
    for (const [place, source] of sources.entries()) {
      const forLinks = join(links, `${place}`);
      const forCopies = join(copiesFolder(options), `${place}`);
      const paths = { newPath: newPathsIn(forLinks), newCopyPath: newPathsIn(forCopies) };
      const context = { connection, meter, staging, scanners, ...paths };
      loaded.push(await (source.parts.length > 0 ? mergeParts : loadSource)(context, source));
      // What is written is read no more.
      for (const folder of [forLinks, forCopies]) rmSync(folder, { recursive: true, force: true });
    }
    // To detach does the same, but what fails there is not told.
    await connection.run('checkpoint out');
    await connection.run('detach out');
    return loaded;
  } finally {
    await scanners.release();
    // Whoever tries again with more memory needs that which this one has.
    connection?.closeSync();
    instance.closeSync();
  }
}
