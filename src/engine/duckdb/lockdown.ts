import { randomBytes } from 'node:crypto';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { DuckDBInstance as Instance } from '../../common/duckdb-api.js';
import { quoteName, quoteText } from '../../common/quote.js';
import { SetupError } from '../../errors/errors.js';
import { hasRowIds, rowIdColumns, type SourceSchema } from '../../types/schema.js';
import { attachMacros } from './macro-file.js';
import { registerFunctions } from './register-functions.js';
import { tryLocks } from './try-locks.js';

/** Settings of the instance: it loads no extension, downloads nothing and spills nothing to disk. */
export const instanceSettings = {
  temp_directory: '',
  autoload_known_extensions: 'false',
  autoinstall_known_extensions: 'false',
  allow_community_extensions: 'false',
  allow_unsigned_extensions: 'false',
  allow_persistent_secrets: 'false',
  catalog_error_max_schemas: '0',
} as const;

/**
 * Settings of every connection: BigQuery's time zone and order of NULLs, and late materialization up to
 * 5,000 rows. An expression that occurs twice is computed where it stands: DuckDB would compute it once
 * for all rows, also on those where a condition or TRY guards it.
 */
const sessionSettings = `
  set global timezone = 'UTC';
  set global default_null_order = 'NULLS_FIRST_ON_ASC_LAST_ON_DESC';
  set global late_materialization_max_rows = 5000;
  set global disabled_optimizers = 'common_subexpressions';`;

/** The locks. Their order matters: the last one makes the others permanent. */
export const locks: readonly string[] = [
  'set global enable_external_access = false',
  "set global disabled_filesystems = 'LocalFileSystem'",
  'set global lock_configuration = true',
];

/** The data that an engine reads: one state of the log files. */
export interface EngineData {
  /** A database file with a table for each source; opened read-only. */
  readonly databaseFile: string;
  readonly sources: readonly SourceSchema[];
}

/** The options of a database. */
export interface DatabaseOptions extends EngineData {
  /** The SQL of the macros, as `readMacros` returns it. */
  readonly macros: string;
  /** In DuckDB's notation, such as `2GB`. */
  readonly memoryLimit?: string;
  readonly threads?: number;
  /** Whether this process has tried the locks of an instance with the same options before. */
  readonly locksTried?: boolean;
}

/** An open, locked instance, and the names of the macros in `bq`. */
export interface Database {
  readonly instance: DuckDBInstance;
  readonly macros: ReadonlySet<string>;
}

/** An instance that is ready for its data, which it does not have yet. */
export interface PreparedDatabase extends Database {
  readonly connection: DuckDBConnection;
}

/**
 * Opens an in-memory instance with the BigQuery macros in `bq` and the functions in JavaScript: three quarters of the
 * time that {@link openDatabase} takes, and the same for all data.
 */
export async function prepareDatabase(
  options: Omit<DatabaseOptions, keyof EngineData>,
): Promise<PreparedDatabase> {
  const { memoryLimit, threads } = options;
  const instance = await Instance.create(':memory:', {
    ...instanceSettings,
    ...(memoryLimit === undefined ? {} : { memory_limit: memoryLimit }),
    ...(threads === undefined ? {} : { threads: String(threads) }),
  });
  const connection = await instance.connect();
  await connection.run(sessionSettings);
  const macros = await attachMacros(connection, options.macros);
  registerFunctions(connection);
  return { instance, connection, macros };
}

/**
 * Opens an in-memory instance that reads database files, with a view for each source in the schema `logs`
 * and the BigQuery macros in `bq`, and the functions in JavaScript, locked against everything else. An instance that
 * was prepared with the same options is used up.
 * @throws SetupError if a lock does not hold
 */
export async function openDatabase(
  options: DatabaseOptions,
  prepared: Promise<PreparedDatabase> = prepareDatabase(options),
): Promise<Database> {
  const { databaseFile } = options;
  const { instance, connection, macros } = await prepared;
  const database = `logs_${randomBytes(16).toString('hex')}`;
  await attachSources(connection, database, options);
  await connection.run(locks.join(';'));
  const locked = { databaseFile, database: `${database}_0` };
  const broken = options.locksTried ? [] : await tryLocks(connection, locked);
  connection.closeSync();
  if (broken.length > 0) throw notLocked(broken);
  return { instance, macros };
}

/** Attaches each database file under its own name; creates a view for each source, and for each part if it has several. */
async function attachSources(
  connection: DuckDBConnection,
  database: string,
  { databaseFile, sources }: EngineData,
): Promise<void> {
  const partsOf = ({ name, parts }: SourceSchema) => parts ?? [{ file: databaseFile, view: name }];
  const files = [...new Set([databaseFile, ...sources.flatMap(partsOf).map(({ file }) => file)])];
  const attached = files.map(
    (file, index) => `attach ${quoteText(file)} as ${database}_${index} (read_only)`,
  );
  const views = sources.flatMap((source) => {
    const parts = partsOf(source).map(({ file, view }, part) => ({
      view,
      rows: `select *${rowIds(source, part)} from ${database}_${files.indexOf(file)}.main.${quoteName(source.name)}`,
    }));
    const all = { view: source.name, rows: parts.map(({ rows }) => rows).join(' union all ') };
    const views = parts.length > 1 ? [...parts, all] : [all];
    return views.map(({ view, rows }) => `create view logs.${quoteName(view)} as ${rows}`);
  });
  await connection.run([...attached, 'create schema logs', ...views].join(';\n'));
}

function rowIds(source: SourceSchema, part: number): string {
  if (!hasRowIds(source)) return '';
  const [rowId, partId] = rowIdColumns.map(quoteName);
  return `, rowid as ${rowId}, ${part}::bigint as ${partId}`;
}

function notLocked(broken: readonly string[]): SetupError {
  const lines = broken.map((name) => `The engine is not locked: it can ${name}`);
  return new SetupError([...lines, 'This version of DuckDB is not one that the service can use']);
}
