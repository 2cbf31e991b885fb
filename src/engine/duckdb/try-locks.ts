import { fileURLToPath } from 'node:url';
import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteText } from '../../process/quote.js';

/** A statement that a locked engine must refuse, and a part of the expected error message. */
type Trial = readonly [name: string, sql: string, refusal: string];

/** The targets of the trials. */
export interface Locked {
  readonly databaseFile: string;
  /** The name under which the database file is attached. */
  readonly database: string;
}

const noFiles = 'has been disabled by configuration';
const noSettings = 'the configuration has been locked';
const noExtensions = 'Loading external extensions is disabled';
const noSecrets = 'Persistent secrets are disabled';

/**
 * Tries the locks of an open engine one by one, and returns the names of the trials that succeed, or that fail for a
 * reason other than the lock. DuckDB has no lock against temporary macros and secrets, SET VARIABLE, USE, ATTACH
 * ':memory:', tables of the in-memory instance, and logging to memory: only statement verification refuses those. It
 * takes 5 ms of the 250 ms that an engine process takes to open, so every process is checked.
 */
export async function tryLocks(
  connection: DuckDBConnection,
  locked: Locked,
): Promise<readonly string[]> {
  const broken: string[] = [];
  for (const [name, sql, refusal] of lockTrials(locked)) {
    const failure = await connection.run(sql).then(
      () => '',
      (error: unknown) => String(error),
    );
    if (!failure.includes(refusal)) broken.push(name);
  }
  return broken;
}

function lockTrials({ databaseFile, database }: Locked): readonly Trial[] {
  const ownFile = quoteText(fileURLToPath(import.meta.url));
  const missingPath = (name: string) => quoteText(`${databaseFile}-trial/${name}`);
  const file = quoteText(databaseFile);
  return [
    ['read a file', `select size from read_blob(${ownFile})`, noFiles],
    ['read a file of text', `from read_csv(${ownFile})`, noFiles],
    ['list files', `from glob(${ownFile})`, noFiles],
    ['read the database file', `select size from read_blob(${file})`, noFiles],
    ['read the environment', "from read_text('/proc/self/environ')", noFiles],
    ['call getenv', "select getenv('PATH')", 'getenv does not exist'],
    ['attach a file', `attach ${missingPath('x')} as trial`, noFiles],
    ['write a file', `copy (select 1) to ${missingPath('x')}`, noFiles],
    ['export the database', `export database ${missingPath('x')}`, noFiles],
    ['write the database', `create table ${database}.main.trial (i int)`, 'in read-only mode'],
    ['install an extension', `install ${missingPath('x')}`, noFiles],
    ['load an extension', `load ${missingPath('x')}`, noExtensions],
    ['keep a secret', 'create persistent secret trial (type http)', noSecrets],
    [
      'log to a file',
      `call enable_logging(storage = 'file', storage_config = {'path': ${missingPath('log')}})`,
      'Can not enable file logging',
    ],
    ['change a setting', 'set global threads = 1', noSettings],
    ['change a setting of a session', "set timezone = 'UTC'", noSettings],
    ['reset a setting', 'reset memory_limit', noSettings],
    ['unlock the configuration', 'set global lock_configuration = false', noSettings],
  ];
}
