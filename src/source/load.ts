import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { SetupError } from '../errors.js';
import { loadFailure } from './load-failure.js';
import { findLogFiles, type LogFile } from './load-file.js';
import { createMeter, type Meter, type OnProgress } from './load-progress.js';
import type { FileReport } from './load-report.js';
import { loadSource } from './load-source.js';
import { loadMacros, quoteText } from './load-sql.js';
import type { SourceSchema } from './schema.js';

/** What a load reads and where it writes; plain values, so that it can cross to a child process. */
export interface LoadOptions {
  readonly dataFolder: string;
  readonly declared: readonly SourceSchema[];
  /** The database file to write; one that is there is replaced. */
  readonly database: string;
  /** As DuckDB reads it: `4GB`. */
  readonly memoryLimit: string;
  readonly threads: number;
  /** Whether any fault of a file is fatal. */
  readonly strict: boolean;
}

/** What a load found; plain values. */
export interface LoadReport {
  /** The sources in their order, with what is stored and how. */
  readonly sources: readonly SourceSchema[];
  readonly files: readonly FileReport[];
  readonly warnings: readonly string[];
}

/**
 * Writes the log files of a folder into one database file: a table for each declared source in the
 * schema `main`, in order of timestamp, of equal ones by `id`: the same files make the same table.
 * @throws SetupError the folder cannot be read; none of its files can; a fault while `strict`
 */
export async function load(
  options: LoadOptions,
  onProgress: OnProgress = () => undefined,
): Promise<LoadReport> {
  const { dataFolder, declared } = options;
  const names = declared.map((source) => source.name);
  const files = findLogFiles(dataFolder, names);
  const meter = createMeter(files, onProgress);
  const loaded = await loadAll(options, files, meter)
    .catch((error) => {
      removeDatabase(options);
      throw loadFailure(error, options.database);
    })
    .finally(() => removeLeftovers(options, process.pid));
  const reports = loaded.flatMap((each) => each.files);
  if (reports.length > 0 && reports.every((report) => !report.readable)) {
    throw new SetupError([`${dataFolder}: no file can be read`, ...faultLines(reports)]);
  }
  if (options.strict && reports.some(isFaulty)) throw new SetupError(faultLines(reports));
  const empty = `${dataFolder}: no file of a declared source; every source is empty`;
  return {
    sources: loaded.map((each) => each.schema),
    files: reports,
    warnings: [
      ...(reports.length === 0 ? [empty] : []),
      ...loaded.flatMap((each) => each.warnings),
    ],
  };
}

/** Removes what a load needed for a while, or left behind where its process, of the given number, crashed. */
export function removeLeftovers(options: LoadOptions, processId: number | undefined): void {
  rmSync(spillFolder(options), { recursive: true, force: true });
  const prefix = linksPrefix(processId ?? 0);
  const links = readdirSync(tmpdir()).filter((name) => join(tmpdir(), name).startsWith(prefix));
  for (const name of links) rmSync(join(tmpdir(), name), { recursive: true, force: true });
}

/** Removes a database that was not built to its end. */
export function removeDatabase({ database }: LoadOptions): void {
  rmSync(database, { force: true });
  rmSync(`${database}.wal`, { force: true });
}

function linksPrefix(processId: number): string {
  return join(tmpdir(), `log-endpoints-load-${processId}-`);
}

/** One line for each fault of each file, as `<file>:<line>: <message>`, and for those not listed. */
export function faultLines(reports: readonly FileReport[]): readonly string[] {
  return reports.flatMap((report) => {
    const { file, faults, badLines, badFields } = report;
    const lines = faults.map(({ line, message }) =>
      line === undefined ? `${file}: ${message}` : `${file}:${line}: ${message}`,
    );
    const more = badLines + badFields - faults.length;
    return more > 0 ? [...lines, `${file}: ${more} more like these`] : lines;
  });
}

function isFaulty({ faults }: FileReport): boolean {
  return faults.length > 0;
}

function spillFolder({ database }: LoadOptions): string {
  return `${database}.spill`;
}

async function loadAll(options: LoadOptions, files: readonly LogFile[], meter: Meter) {
  const { database, declared } = options;
  const links = mkdtempSync(linksPrefix(process.pid));
  mkdirSync(dirname(database), { recursive: true });
  rmSync(database, { force: true });
  const instance = await DuckDBInstance.create(':memory:', {
    memory_limit: options.memoryLimit,
    threads: String(options.threads),
    temp_directory: spillFolder(options),
  });
  try {
    const connection = await instance.connect();
    await connection.run("set timezone = 'UTC'");
    // Only so that the engine keeps count of how far it is.
    await connection.run('set enable_progress_bar = true');
    await connection.run('set enable_progress_bar_print = false');
    for (const macro of loadMacros) await connection.run(macro);
    await connection.run(`attach ${quoteText(database)} as out`);
    const loaded = [];
    let made = 0;
    const newPath = () => join(links, `${made++}`);
    for (const source of declared) {
      const own = files.filter((file) => file.source === source.name);
      loaded.push(await loadSource({ connection, newPath, meter }, source, own));
    }
    await connection.run('detach out');
    connection.closeSync();
    return loaded;
  } finally {
    instance.closeSync();
  }
}
