import { randomBytes } from 'node:crypto';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { DuckDBInstance, version } from '../../common/duckdb-api.js';
import { builtPath } from '../../common/package-paths.js';
import { quoteText } from '../../common/quote.js';
import { digestOf } from '../digest.js';
import { findOrderFault } from './read-macros.js';

/** The folder of the built macro file, which is as trusted as the program next to it. */
const builtFolder = builtPath('.');
const prefix = 'macros-';

/**
 * Attaches BigQuery's macros as the database `bq`, from the file that the build made of this text. If
 * there is no readable file, it creates them from the text, which takes ten times as long.
 * @returns the names of the macros
 */
export async function attachMacros(
  connection: DuckDBConnection,
  text: string,
  folder = builtFolder,
): Promise<ReadonlySet<string>> {
  try {
    await connection.run(`attach ${quoteText(macroFile(folder, text))} as bq (read_only)`);
    return namesOf(await connection.runAndReadAll('select name from bq.names'));
  } catch {
    await connection.run('detach database if exists bq');
    return createMacros(connection, text);
  }
}

/**
 * Writes the file that {@link attachMacros} attaches, and removes the files of other texts. The file
 * is renamed into place, so no one sees an incomplete one.
 * @throws Error if a macro is faulty, or the folder cannot be written
 */
export async function buildMacros(text: string, folder = builtFolder): Promise<void> {
  const building = join(folder, `${randomBytes(8).toString('hex')}.building`);
  try {
    await writeMacros(building, text);
    const built = macroFile(folder, text);
    renameSync(building, built);
    const old = readdirSync(folder).filter((name) => name.startsWith(prefix));
    // Two builds may run at the same time.
    for (const path of old.map((name) => join(folder, name))) {
      if (path !== built) rmSync(path, { force: true });
    }
  } finally {
    for (const file of [building, `${building}.wal`]) rmSync(file, { force: true });
  }
}

async function writeMacros(file: string, text: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:');
  try {
    const connection = await instance.connect();
    const names = await createMacros(connection, text, file);
    await connection.run('create table bq.names (name varchar)');
    for (const name of names) await connection.run('insert into bq.names values ($1)', [name]);
    await connection.run('detach bq');
  } finally {
    instance.closeSync();
  }
}

/**
 * Creates the macros of a text in a new database `bq`, by default one in memory.
 * @returns the names of the macros
 * @throws Error if a macro is faulty
 */
export async function createMacros(
  connection: DuckDBConnection,
  text: string,
  file = ':memory:',
): Promise<ReadonlySet<string>> {
  await connection.run(`attach ${quoteText(file)} as bq (storage_version 'latest')`);
  // One transaction: a transaction for each macro takes a third longer.
  try {
    await connection.run(`begin; ${text}; commit`);
  } catch (error) {
    throw new Error(findOrderFault(text) ?? String(error), { cause: error });
  }
  const reader = await connection.runAndReadAll(
    "select function_name from duckdb_functions() where database_name = 'bq' and function_type = 'macro'",
  );
  const names = namesOf(reader);
  await inlinePatterns(connection, names);
  return names;
}

/** Replaces the body of each macro that builds a pattern with its result, so that calls do not build it again. */
async function inlinePatterns(
  connection: DuckDBConnection,
  names: ReadonlySet<string>,
): Promise<void> {
  for (const name of names) {
    if (!name.startsWith('pii') || !name.endsWith('pattern')) continue;
    const reader = await connection.runAndReadAll(`select bq.${name}()`);
    const text = quoteText(String(reader.getRows()[0]?.[0]));
    await connection.run(`create or replace macro bq.${name}() as ${text}`);
  }
}

/** The file's name depends on the text and on the version of the engine. */
function macroFile(folder: string, text: string): string {
  const digest = digestOf(`${version()}\n${text}`);
  return join(folder, `${prefix}${digest.slice(0, 32)}.duckdb`);
}

function namesOf(reader: { getRows(): readonly (readonly unknown[])[] }): ReadonlySet<string> {
  return new Set(reader.getRows().map(([name]) => String(name)));
}
