import { randomBytes } from 'node:crypto';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import type { DuckDbOptions } from './duckdb-engine.js';

/** Settings of the instance: nothing is loaded, fetched or spilled. */
const instanceSettings = {
  temp_directory: '',
  autoload_known_extensions: 'false',
  autoinstall_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_unsigned_extensions: 'false',
  allow_persistent_secrets: 'false',
} as const;

/** Settings of every connection: BigQuery's time zone and order of NULLs, and the reach of top-N. */
const sessionSettings = `
  set global timezone = 'UTC';
  set global default_null_order = 'NULLS_FIRST_ON_ASC_LAST_ON_DESC';
  set global late_materialization_max_rows = 1000;
  set global catalog_error_max_schemas = 0;`;

/** The locks, in the order that holds: the last one keeps all the others. */
const locks = `
  set global enable_external_access = false;
  set global disabled_filesystems = 'LocalFileSystem';
  set global lock_configuration = true;`;

/**
 * An instance in memory that reads one database file, a view for each source in the schema `logs`
 * and the macros of BigQuery in `bq`, locked against everything else.
 */
export async function openDatabase(options: DuckDbOptions): Promise<DuckDBInstance> {
  const { memoryLimit, threads } = options;
  const instance = await DuckDBInstance.create(':memory:', {
    ...instanceSettings,
    ...(memoryLimit === undefined ? {} : { memory_limit: memoryLimit }),
    ...(threads === undefined ? {} : { threads: String(threads) }),
  });
  const connection = await instance.connect();
  await setUp(connection, options);
  connection.closeSync();
  return instance;
}

async function setUp(connection: DuckDBConnection, options: DuckDbOptions): Promise<void> {
  const file = options.databaseFile.replaceAll("'", "''");
  const database = `logs_${randomBytes(16).toString('hex')}`;
  await connection.run(`attach '${file}' as ${database} (read_only)`);
  await connection.run(sessionSettings);
  await connection.run('create schema logs');
  for (const { name } of options.sources) {
    const table = `"${name.replaceAll('"', '""')}"`;
    await connection.run(`create view logs.${table} as select * from ${database}.main.${table}`);
  }
  await connection.run(options.macros);
  await connection.run(locks);
}
