import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { loadMacros } from '../../src/logs/load/macros.js';

/** An empty database in memory, in UTC and without a single lock. */
export interface ScratchDatabase {
  readonly connection: DuckDBConnection;
  readonly close: () => void;
}

/** Opens one that is there until it is closed. */
export async function openScratch(): Promise<ScratchDatabase> {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  await connection.run("set timezone = 'UTC'");
  return {
    connection,
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}

/** The same with the macros of a load. */
export async function openLoadScratch(): Promise<ScratchDatabase> {
  const scratch = await openScratch();
  for (const macro of loadMacros) await scratch.connection.run(macro);
  return scratch;
}

/** Opens an empty database, asks it, and closes it. */
export async function inScratch<T>(ask: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
  const { connection, close } = await openScratch();
  return ask(connection).finally(close);
}
