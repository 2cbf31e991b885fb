import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { digestText } from '../../process/digest.js';
import { version } from '../../process/duckdb-api.js';
import { builtPath, packagePath } from '../../process/package-paths.js';
import { quoteText } from '../../process/quote.js';

/** The folder of the built macro file, which is as trusted as the program next to it. */
const builtFolder = builtPath('.');
/** The prefix of the names of macro files. */
export const macroPrefix = 'macros-';

/**
 * The SQL of all macros: the files of `sql/bigquery`, one for each family of functions, in the order of its
 * `order.json`. DuckDB binds the body of a macro when it creates it, so each file follows the files whose macros it
 * uses.
 */
export function readMacros(folder = packagePath('sql/bigquery')): string {
  const order = JSON.parse(readFileSync(join(folder, 'order.json'), 'utf8')) as readonly string[];
  return order.map((name) => readFileSync(join(folder, `${name}.sql`), 'utf8')).join('\n');
}

/**
 * Attaches BigQuery's macros as the database `bq`, from the file that the build made of this text. Without a readable
 * file, creates them from the text, which takes ten times as long.
 * @returns the names of the macros
 */
export async function attachMacros(
  connection: DuckDBConnection,
  text: string,
  folder = builtFolder,
): Promise<ReadonlySet<string>> {
  try {
    await connection.run(`attach ${quoteText(macroFile(folder, text))} as bq (read_only)`);
    return firstColumn(await connection.runAndReadAll('select name from bq.names'));
  } catch {
    await connection.run('detach database if exists bq');
    return createMacros(connection, text);
  }
}

/**
 * Creates the macros that SQL text defines in a new database `bq`, by default one in memory.
 * @returns the names of the macros
 * @throws Error if a macro is faulty
 */
export async function createMacros(
  connection: DuckDBConnection,
  text: string,
  file = ':memory:',
): Promise<ReadonlySet<string>> {
  await connection.run(`attach ${quoteText(file)} as bq (storage_version 'latest')`);
  // A single transaction: one per macro takes a third longer.
  await connection.run(`begin; ${text}; commit`);
  const reader = await connection.runAndReadAll(
    "select function_name from duckdb_functions() where database_name = 'bq' and function_type = 'macro'",
  );
  const names = firstColumn(reader);
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

/** The path of the macro file, whose name depends on the text and on the version of the engine. */
export function macroFile(folder: string, text: string): string {
  const digest = digestText(`${version()}\n${text}`);
  return join(folder, `${macroPrefix}${digest.slice(0, 32)}.duckdb`);
}

function firstColumn(reader: { getRows(): readonly (readonly unknown[])[] }): ReadonlySet<string> {
  return new Set(reader.getRows().map(([name]) => String(name)));
}
