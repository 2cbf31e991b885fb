import { randomBytes } from 'node:crypto';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { importBuilt } from './built.mjs';

// Writes the database file with the macros that each engine attaches: the last step of `npm run build`.

/** @type {typeof import('../src/engine/duckdb/macro-file.js')} */
const { createMacros, macroFile, macroPrefix, readMacros } = await importBuilt(
  'engine/duckdb/macro-file.js',
);

if (process.argv[1] === import.meta.filename) {
  await buildMacros(readMacros(), new URL('../dist/', import.meta.url).pathname);
}

/**
 * Writes the file and removes those of other texts. The file is renamed into place, so no one sees an incomplete one.
 * @param {string} text the SQL of the macros
 * @param {string} folder
 */
export async function buildMacros(text, folder) {
  const building = join(folder, `${randomBytes(8).toString('hex')}.building`);
  try {
    await writeMacros(building, text);
    const built = macroFile(folder, text);
    renameSync(building, built);
    const old = readdirSync(folder).filter((name) => name.startsWith(macroPrefix));
    // Two builds may run at the same time.
    for (const path of old.map((name) => join(folder, name))) {
      if (path !== built) rmSync(path, { force: true });
    }
  } finally {
    for (const file of [building, `${building}.wal`]) rmSync(file, { force: true });
  }
}

/** @param {string} file @param {string} text */
async function writeMacros(file, text) {
  const instance = await DuckDBInstance.create(':memory:');
  try {
    const connection = await instance.connect();
    const names = await createMacros(connection, text, file).catch((error) => {
      throw new Error(findOrderFault(text) ?? String(error), { cause: error });
    });
    await connection.run('create table bq.names (name varchar)');
    for (const name of names) await connection.run('insert into bq.names values ($1)', [name]);
    await connection.run('detach bq');
  } finally {
    instance.closeSync();
  }
}

/**
 * Finds the first macro that uses one that does not exist yet, because DuckDB's own message names neither the macro nor the
 * remedy. Returns the problem, or undefined if each macro uses only earlier ones.
 * @param {string} text
 */
export function findOrderFault(text) {
  const statements = text
    .replaceAll(/^\s*--.*$/gm, '')
    .replaceAll(/'(?:[^']|'')*'/g, "''")
    .split(/^\s*create macro bq\./m);
  const definitions = statements.slice(1).map((statement) => ({
    name: /^\w+/.exec(statement)?.[0] ?? '',
    uses: [...statement.matchAll(/\bbq\.(\w+)\(/g)].map(([, used = '']) => used),
  }));
  const names = definitions.map(({ name }) => name);
  for (const [index, { name, uses }] of definitions.entries()) {
    const missing = uses.find((used) => !names.slice(0, index).includes(used));
    if (missing === undefined) continue;
    return names.includes(missing)
      ? `The macro bq.${name} uses bq.${missing}, which is created later: move bq.${missing} up, or its file in sql/bigquery/order.json`
      : `The macro bq.${name} uses bq.${missing}, which no file of sql/bigquery defines`;
  }
  return undefined;
}
