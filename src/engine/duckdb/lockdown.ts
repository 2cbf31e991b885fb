import type { DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { SetupError } from '../../errors/errors.js';
import { DuckDBInstance as Instance } from '../../process/duckdb-api.js';
import { quoteText } from '../../process/quote.js';
import { copyFile, createCopyBudget } from './copy-file.js';
import { instanceSettings } from './instance-settings.js';
import { attachMacros, readMacros } from './macro-file.js';
import { registerEngineFunctions } from './register-functions.js';
import { type AttachFile, createStates, type EngineData, type State } from './states.js';
import { type Locked, tryLocks } from './try-locks.js';

/**
 * Settings of every connection: BigQuery's time zone and order of NULLs, and late materialization up to 5,000 rows. A
 * repeated expression is computed in each place: DuckDB would compute it once for all rows, including rows that a
 * condition excludes.
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

/** Returns the same locks, except that database files in a folder can still be attached. */
function locksExceptIn(folder: string): readonly string[] {
  return [
    `set global allowed_directories = [${quoteText(`${folder}/`)}]`,
    'set global enable_external_access = false',
    'set global lock_configuration = true',
  ];
}

/** The options of a database. */
export interface DatabaseOptions extends EngineData {
  /** The SQL of the macros; by default that of `sql/bigquery`. */
  readonly macros?: string;
  /** In DuckDB's notation, such as `2GB`. */
  readonly memoryLimit?: string;
  readonly threads?: number;
  /**
   * For tests only: the locks leave the files of this folder accessible, so that later states can be attached, which
   * is faster than copying them. Only verification then refuses to read these files.
   */
  readonly folder?: string;
}

/** An open, locked instance. */
export interface Database {
  readonly instance: DuckDBInstance;
  /** The names of the macros in `bq`. */
  readonly macros: ReadonlySet<string>;
  /** The state that it was opened with. */
  readonly first: State;
  /**
   * Opens another state in the instance, under the same locks; undefined if too much data is new since it was opened.
   */
  openNext(data: EngineData): Promise<State | undefined>;
  close(): void;
}

/** Opens an in-memory instance, not locked yet, with the BigQuery macros in `bq` and the functions in JavaScript. */
async function prepareDatabase(options: Omit<DatabaseOptions, keyof EngineData>) {
  const { macros: text = readMacros(), memoryLimit, threads } = options;
  const instance = await Instance.create(':memory:', {
    ...instanceSettings,
    ...(memoryLimit === undefined ? {} : { memory_limit: memoryLimit }),
    ...(threads === undefined ? {} : { threads: String(threads) }),
  });
  const connection = await instance.connect();
  await connection.run(sessionSettings);
  const macros = await attachMacros(connection, text);
  registerEngineFunctions(connection);
  return { instance, connection, macros };
}

/**
 * Opens an in-memory instance that reads database files, with a view for each source in the schema `logs`
 * and the BigQuery macros in `bq`, and the functions in JavaScript, locked against everything else.
 * @throws SetupError if a lock does not hold
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { databaseFile, folder } = options;
  const { instance, connection, macros } = await prepareDatabase(options);
  const states = createStates(connection);
  const mayCopy = createCopyBudget();
  const attachFile: AttachFile = (file, name) =>
    connection.run(`attach ${quoteText(file)} as ${name} (read_only)`);
  const first = await states.open(options, attachFile);
  await connection.run((folder === undefined ? locks : locksExceptIn(folder)).join(';'));
  if (folder === undefined) {
    await expectLocked(connection, { databaseFile, database: first.main });
  }
  return {
    instance,
    macros,
    first,
    async openNext(data) {
      if (folder !== undefined) return states.open(data, attachFile);
      if (!mayCopy(states.newFiles(data))) return undefined;
      return states.open(data, (file, name) => copyFile(connection, file, name));
    },
    close() {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

async function expectLocked(connection: DuckDBConnection, locked: Locked): Promise<void> {
  const broken = await tryLocks(connection, locked);
  if (broken.length === 0) return;
  const lines = broken.map((name) => `The engine is not locked: it can ${name}`);
  throw new SetupError([...lines, 'This version of DuckDB is not one that the service can use']);
}
