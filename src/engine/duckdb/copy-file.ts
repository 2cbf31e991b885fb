import { statSync } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import { DuckDBInstance } from '../../process/duckdb-api.js';
import { quoteName, quoteText } from '../../process/quote.js';
import { instanceSettings } from './instance-settings.js';

/** The maximum size of a database file to copy, in bytes: attaching a larger one in another instance is faster. */
const maxBytesAtOnce = 4_000_000;

/** The maximum number of bytes to copy into one instance, whose memory is meant for statements. */
const maxBytes = 16_000_000;

/**
 * Returns a function that tells whether files may be copied into an instance, after those that it has allowed before.
 */
export function createCopyBudget(): (files: readonly string[]) => boolean {
  let copied = 0;
  return (files) => {
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0);
    if (bytes > maxBytesAtOnce || copied + bytes > maxBytes) return false;
    copied += bytes;
    return true;
  };
}

/**
 * Copies the tables of a database file into a new database in memory, which has this name. That database's instance
 * is locked and reads no files: another instance reads this file, and runs no other statements.
 */
export async function copyFile(
  target: DuckDBConnection,
  file: string,
  name: string,
): Promise<void> {
  reader ??= openReader();
  const from = await reader;
  await target.run(`attach ':memory:' as ${name}`);
  await from.run(`attach ${quoteText(file)} as ${name} (read_only)`);
  try {
    const tables =
      await from.runAndReadAll(`select schema_name, table_name, sql, coalesce(comment, '')
      from duckdb_tables() where database_name = '${name}'`);
    for (const row of tables.getRows()) {
      const [schema = '', table = '', sql = '', comment = ''] = row.map(String);
      const own = `${name}.${quoteName(schema)}.${quoteName(table)}`;
      await target.run(`create schema if not exists ${name}.${quoteName(schema)}; use ${name}`);
      await target.run(sql).finally(() => target.run('use memory'));
      if (comment !== '') await target.run(`comment on table ${own} is ${quoteText(comment)}`);
      const rows = await from.run(`from ${own}`);
      const appender = await target.createAppender(table, schema, name);
      for (let index = 0; index < rows.chunkCount; index += 1) {
        appender.appendDataChunk(rows.getChunk(index));
      }
      appender.closeSync();
    }
  } finally {
    await from.run(`detach ${name}`);
  }
}

let reader: Promise<DuckDBConnection> | undefined;

async function openReader(): Promise<DuckDBConnection> {
  const instance = await DuckDBInstance.create(':memory:', { ...instanceSettings, threads: '1' });
  return instance.connect();
}
