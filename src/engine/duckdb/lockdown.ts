import { randomBytes } from 'node:crypto';
import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { DuckDBInstance as Instance } from '../../common/duckdb-api.js';
import { quoteName, quoteText } from '../../common/quote.js';
import { SetupError } from '../../errors/errors.js';
import {
  hasOtherParts,
  hasRowIds,
  type Part,
  rowIdColumns,
  type SourceSchema,
} from '../../types/schema.js';
import { type NewestTable, newestSchema } from '../../values/newest-table.js';
import { attachMacros, readMacros } from './macro-file.js';
import { registerFunctions } from './register-functions.js';
import { type Locked, tryLocks } from './try-locks.js';

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
 * for all rows, also on those where a condition guards it.
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

/** The same locks, except that database files of a folder can still be attached. */
export function locksExceptIn(folder: string): readonly string[] {
  return [
    `set global allowed_directories = [${quoteText(`${folder}/`)}]`,
    'set global enable_external_access = false',
    'set global lock_configuration = true',
  ];
}

/** The data that an engine reads: one state of the log files. */
export interface EngineData {
  /** A database file with a table for each source; opened read-only. */
  readonly databaseFile: string;
  readonly sources: readonly StoredSource[];
}

/** What an engine needs to know of a source. */
export interface StoredSource extends Pick<SourceSchema, 'name' | 'parts'> {
  readonly columns: readonly { readonly name: string }[];
}

/** The options of a database. */
export interface DatabaseOptions extends EngineData {
  /** The sources whose newest rows may be kept as they are printed; by default none. */
  readonly newest?: readonly NewestTable[];
  /** The SQL of the macros; by default that of `sql/bigquery`. */
  readonly macros?: string;
  /** In DuckDB's notation, such as `2GB`. */
  readonly memoryLimit?: string;
  readonly threads?: number;
}

/** An open, locked instance. */
export interface Database {
  readonly instance: DuckDBInstance;
  /** The names of the macros in `bq`. */
  readonly macros: ReadonlySet<string>;
  /** The sources whose newest rows are kept in all their database files, each with a view in the schema `newest`. */
  readonly newest: readonly NewestTable[];
}

/** An instance that is ready for its data and its locks. */
interface PreparedDatabase extends Omit<Database, 'newest'> {
  readonly connection: DuckDBConnection;
}

/** Opens an in-memory instance, not locked yet, with the BigQuery macros in `bq` and the functions in JavaScript. */
export async function prepareDatabase(
  options: Omit<DatabaseOptions, keyof EngineData>,
): Promise<PreparedDatabase> {
  const { macros: text = readMacros(), memoryLimit, threads } = options;
  const instance = await Instance.create(':memory:', {
    ...instanceSettings,
    ...(memoryLimit === undefined ? {} : { memory_limit: memoryLimit }),
    ...(threads === undefined ? {} : { threads: String(threads) }),
  });
  const connection = await instance.connect();
  await connection.run(sessionSettings);
  const macros = await attachMacros(connection, text);
  registerFunctions(connection);
  return { instance, connection, macros };
}

/**
 * Opens an in-memory instance that reads database files, with a view for each source in the schema `logs`
 * and the BigQuery macros in `bq`, and the functions in JavaScript, locked against everything else.
 * @throws SetupError if a lock does not hold
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { databaseFile } = options;
  const { instance, connection, macros } = await prepareDatabase(options);
  const database = `logs_${randomBytes(16).toString('hex')}`;
  const names = new Map(filesOf(options).map((file, index) => [file, `${database}_${index}`]));
  const attached = [...names].map(([file, name]) => attachFile(file, name));
  const views = viewsOf(options, { names, schema: 'logs' });
  await connection.run([...attached, 'create schema logs', ...views].join(';\n'));
  const newest = await createNewestViews(connection, options, names);
  await connection.run(locks.join(';'));
  await expectLocked(connection, { databaseFile, database: `${database}_0` });
  connection.closeSync();
  return { instance, macros, newest };
}

/** Creates a view for each source whose newest rows are in all of its parts, printed as they are now. */
async function createNewestViews(
  connection: DuckDBConnection,
  { newest = [], ...data }: DatabaseOptions,
  names: ReadonlyMap<string, string>,
): Promise<readonly NewestTable[]> {
  if (newest.length === 0) return [];
  const reader = await connection.runAndReadAll(
    `select database_name, table_name, comment from duckdb_tables() where schema_name = '${newestSchema}'`,
  );
  const stored = new Set(reader.getRowsJson().map((row) => JSON.stringify(row)));
  const kept = newest.flatMap((table) => {
    const source = data.sources.find(({ name }) => name === table.source);
    const files =
      source === undefined ? [] : partsOf(source, data).map(({ file }) => names.get(file));
    const isKept = (file?: string) =>
      table.prints.some((print) => stored.has(JSON.stringify([file, table.source, print])));
    return files.length > 0 && files.every(isKept) ? [{ table, files }] : [];
  });
  const views = kept.map(({ table: { source }, files }) => {
    const name = `${newestSchema}.${quoteName(source)}`;
    const parts = files.map((file, part) => `select ${part} as part, * from ${file}.${name}`);
    return `create view ${name} as ${parts.join(' union all ')}`;
  });
  await connection.run([`create schema ${newestSchema}`, ...views].join(';\n'));
  return kept.map(({ table }) => table);
}

/** The database files of a state, each once; the main one is the first. */
export function filesOf(data: EngineData): readonly string[] {
  const parts = data.sources.flatMap((source) => partsOf(source, data));
  return [...new Set([data.databaseFile, ...parts.map(({ file }) => file)])];
}

/** The statement that attaches a database file, read-only. */
export function attachFile(file: string, name: string): string {
  return `attach ${quoteText(file)} as ${name} (read_only)`;
}

/** Where views are created, and the names under which the database files are attached. */
interface ViewTarget {
  readonly names: ReadonlyMap<string, string>;
  readonly schema: string;
}

/**
 * The statements that create a view for each source, and for each part if it has several. If these store records in other ways,
 * statements read each of them: there is no view of the source.
 */
export function viewsOf(data: EngineData, { names, schema }: ViewTarget): readonly string[] {
  return data.sources.flatMap((source) => {
    const parts = partsOf(source, data).map(({ file, view }, part) => ({
      view,
      rows: `select *${rowIds(source, part)} from ${names.get(file)}.main.${quoteName(source.name)}`,
    }));
    const all = { view: source.name, rows: parts.map(({ rows }) => rows).join(' union all ') };
    const views = parts.length > 1 ? [...parts, ...(hasOtherParts(source) ? [] : [all])] : [all];
    return views.map(({ view, rows }) => `create view ${schema}.${quoteName(view)} as ${rows}`);
  });
}

function partsOf({ name, parts }: StoredSource, { databaseFile }: EngineData): readonly Part[] {
  return parts ?? [{ file: databaseFile, view: name }];
}

function rowIds(source: StoredSource, part: number): string {
  if (!hasRowIds(source)) return '';
  const [rowId, partId] = rowIdColumns.map(quoteName);
  return `, rowid as ${rowId}, ${part}::bigint as ${partId}`;
}

async function expectLocked(connection: DuckDBConnection, locked: Locked): Promise<void> {
  const broken = await tryLocks(connection, locked);
  if (broken.length === 0) return;
  const lines = broken.map((name) => `The engine is not locked: it can ${name}`);
  throw new SetupError([...lines, 'This version of DuckDB is not one that the service can use']);
}
