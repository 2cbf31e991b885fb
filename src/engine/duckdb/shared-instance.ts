import { randomBytes } from 'node:crypto';
import type { DuckDBConnection } from '@duckdb/node-api';
import { createVerify } from '../verify/verify.js';
import { createDuckDbEngine, type DuckDbEngine, type DuckDbOptions } from './duckdb.js';
import {
  attachFile,
  type EngineData,
  filesOf,
  locksExceptIn,
  prepareDatabase,
  viewsOf,
} from './lockdown.js';

/** One instance of DuckDB for many states of the data. */
export interface SharedInstance {
  /**
   * Opens an engine over a state, whose database files are in the instance's folder.
   * @throws Error if a file is not a database of this service
   */
  open(data: EngineData): Promise<DuckDbEngine>;
}

/**
 * Opens an instance in this process whose engines differ only in their data: one opens in milliseconds, where an
 * instance of its own takes a hundred. Each state is a database in memory with the views of its sources, and
 * connections to a state `use` it. Statements are verified as everywhere; the locks are those of other engines, except
 * that files in `folder` can be read and written, which verification alone refuses. So it is for tests only.
 */
export async function openSharedInstance(
  options: Omit<DuckDbOptions, keyof EngineData>,
  folder: string,
): Promise<SharedInstance> {
  const { instance, connection, macros } = await prepareDatabase(options);
  await connection.run(locksExceptIn(folder).join(';'));
  const verify = createVerify(macros);
  const states = createStates(connection);
  return {
    async open(data) {
      const state = await states.attach(data);
      const connect = async () => {
        const connected = await instance.connect();
        await connected.run(`use ${state.name}`);
        return connected;
      };
      return createDuckDbEngine({ options, verify, connect, close: state.detach });
    },
  };
}

/** A state whose database is attached. */
interface State {
  readonly name: string;
  readonly detach: () => Promise<void>;
}

/** Attaches states, one after another. */
function createStates(connection: DuckDBConnection) {
  const files = createFiles(connection);
  const prefix = `logs_${randomBytes(16).toString('hex')}`;
  let count = 0;
  let work: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(step: () => Promise<T>): Promise<T> => {
    const done = work.then(step);
    work = done.catch(() => {});
    return done;
  };

  async function attach(data: EngineData): Promise<State> {
    const name = `${prefix}_${count++}`;
    const paths = filesOf(data);
    const names = await files.attach(paths);
    try {
      const schema = `${name}.logs`;
      const views = viewsOf(data, { names, schema });
      const opening = [`attach ':memory:' as ${name}`, `create schema ${schema}`, ...views];
      await connection.run(opening.join(';\n'));
    } catch (error) {
      await detach(name, paths);
      throw error;
    }
    return { name, detach: () => inTurn(() => detach(name, paths)) };
  }

  async function detach(name: string, paths: readonly string[]): Promise<void> {
    await connection.run(`detach database if exists ${name}`);
    await files.detach(paths);
  }

  return { attach: (data: EngineData) => inTurn(() => attach(data)) };
}

/** Attaches each database file once, for all states that read it. */
function createFiles(connection: DuckDBConnection) {
  const attached = new Map<string, { readonly name: string; users: number }>();
  const prefix = `file_${randomBytes(16).toString('hex')}`;
  let count = 0;
  return {
    /** Returns their names by path. */
    async attach(paths: readonly string[]): Promise<ReadonlyMap<string, string>> {
      const names = new Map<string, string>();
      for (const path of paths) {
        const known = attached.get(path) ?? { name: `${prefix}_${count++}`, users: 0 };
        if (known.users === 0) await connection.run(attachFile(path, known.name));
        known.users += 1;
        attached.set(path, known);
        names.set(path, known.name);
      }
      return names;
    },
    async detach(paths: readonly string[]): Promise<void> {
      for (const path of paths) {
        const known = attached.get(path);
        if (known === undefined) continue;
        known.users -= 1;
        if (known.users > 0) continue;
        attached.delete(path);
        await connection.run(`detach ${known.name}`);
      }
    },
  };
}
