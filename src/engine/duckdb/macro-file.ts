import { randomBytes } from 'node:crypto';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { digestOf } from '../../common/digest.js';
import { DuckDBInstance, version } from '../../common/duckdb-api.js';
import { packagePath } from '../../common/package-paths.js';
import { quoteText } from '../../common/quote.js';

/** Where the build leaves what it has made of the macros: as trusted as the program beside it. */
const builtFolder = packagePath('dist');
const prefix = 'macros-';

/**
 * Attaches the macros of BigQuery under the name `bq` and gives their names: from the file that the
 * build has made of this very text, or, where there is none that can be read, from the text, which
 * the engine takes ten times as long to bind.
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
 * Writes the file that {@link attachMacros} attaches, and removes those of other texts. Whoever opens
 * it meanwhile sees all of it or nothing.
 * @throws Error where a macro is faulty, or the folder cannot be written
 */
export async function buildMacros(text: string, folder = builtFolder): Promise<void> {
  const building = join(folder, `${randomBytes(8).toString('hex')}.building`);
  try {
    await writeMacros(building, text);
    const built = macroFile(folder, text);
    renameSync(building, built);
    const old = readdirSync(folder).filter((name) => name.startsWith(prefix));
    // Two builds may be at it at once.
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

/** Binds the macros of a text in a new database `bq`, by default one in memory, and gives their names. */
export async function createMacros(
  connection: DuckDBConnection,
  text: string,
  file = ':memory:',
): Promise<ReadonlySet<string>> {
  await connection.run(`attach ${quoteText(file)} as bq (storage_version 'latest')`);
  // As one transaction: each of its own would take a third more.
  await connection.run(`begin; ${text}; commit`);
  const reader = await connection.runAndReadAll(
    "select function_name from duckdb_functions() where database_name = 'bq' and function_type = 'macro'",
  );
  const names = namesOf(reader);
  await writePatternsOut(connection, names);
  return names;
}

/** A macro that puts a pattern together becomes its text: each call of it would put it together anew. */
async function writePatternsOut(
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

/** Another text, or another version of the engine, has another file. */
function macroFile(folder: string, text: string): string {
  const digest = digestOf(`${version()}\n${text}`);
  return join(folder, `${prefix}${digest.slice(0, 32)}.duckdb`);
}

function namesOf(reader: { getRows(): readonly (readonly unknown[])[] }): ReadonlySet<string> {
  return new Set(reader.getRows().map(([name]) => String(name)));
}
