import { fileURLToPath } from 'node:url';
import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteText } from '../../process/quote.js';

/** A statement that a locked engine must refuse, and a part of the expected error message. */
interface Trial {
  readonly name: string;
  readonly sql: string;
  readonly refusal: string;
}

/** The targets of the trials. */
export interface Locked {
  readonly databaseFile: string;
  /** The name under which the database file is attached. */
  readonly database: string;
}

const noFiles = 'has been disabled by configuration';
const noSettings = 'the configuration has been locked';
const noExtensions = 'Loading external extensions is disabled';

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
  for (const { name, sql, refusal } of trialsOf(locked)) {
    const failure = await connection.run(sql).then(
      () => '',
      (error: unknown) => String(error),
    );
    if (!failure.includes(refusal)) broken.push(name);
  }
  return broken;
}

function trialsOf({ databaseFile, database }: Locked): readonly Trial[] {
  const ownFile = quoteText(fileURLToPath(import.meta.url));
  const missingPath = (name: string) => quoteText(`${databaseFile}-trial/${name}`);
  const file = quoteText(databaseFile);
  return [
    { name: 'read a file', sql: `select size from read_blob(${ownFile})`, refusal: noFiles },
    { name: 'read a file of text', sql: `from read_csv(${ownFile})`, refusal: noFiles },
    { name: 'list files', sql: `from glob(${ownFile})`, refusal: noFiles },
    {
      name: 'read the database file',
      sql: `select size from read_blob(${file})`,
      refusal: noFiles,
    },
    { name: 'read the environment', sql: "from read_text('/proc/self/environ')", refusal: noFiles },
    { name: 'call getenv', sql: "select getenv('PATH')", refusal: 'getenv does not exist' },
    { name: 'attach a file', sql: `attach ${missingPath('x')} as trial`, refusal: noFiles },
    { name: 'write a file', sql: `copy (select 1) to ${missingPath('x')}`, refusal: noFiles },
    { name: 'export the database', sql: `export database ${missingPath('x')}`, refusal: noFiles },
    {
      name: 'write the database',
      sql: `create table ${database}.main.trial (i int)`,
      refusal: 'attached in read-only mode',
    },
    { name: 'install an extension', sql: `install ${missingPath('x')}`, refusal: noFiles },
    { name: 'load an extension', sql: `load ${missingPath('x')}`, refusal: noExtensions },
    {
      name: 'keep a secret',
      sql: 'create persistent secret trial (type http)',
      refusal: 'Persistent secrets are disabled',
    },
    {
      name: 'log to a file',
      sql: `call enable_logging(storage = 'file', storage_config = {'path': ${missingPath('log')}})`,
      refusal: 'Can not enable file logging',
    },
    { name: 'change a setting', sql: 'set global threads = 1', refusal: noSettings },
    { name: 'change a setting of a session', sql: "set timezone = 'UTC'", refusal: noSettings },
    { name: 'reset a setting', sql: 'reset memory_limit', refusal: noSettings },
    {
      name: 'unlock the configuration',
      sql: 'set global lock_configuration = false',
      refusal: noSettings,
    },
  ];
}
