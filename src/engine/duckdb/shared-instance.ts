import { randomBytes } from 'node:crypto';
import type { DuckDBConnection } from '@duckdb/node-api';
import { openVerifier } from '../verify/verify.js';
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
 * instance of its own takes a hundred. The views of a state are a database in memory, which all engines over that state share,
 * and their connections find them, and no others, on their search path.
 * Statements are verified as everywhere; the locks are those of other engines, except that files in `folder` can be
 * read and written, which verification alone refuses. So it is for tests only.
 */
export async function openSharedInstance(
  options: Omit<DuckDbOptions, keyof EngineData>,
  folder: string,
): Promise<SharedInstance> {
  const { instance, connection, macros } = await prepareDatabase(options);
  await connection.run(locksExceptIn(folder).join(';'));
  const { verify } = await openVerifier(await instance.connect(), macros);
  const attachState = createAttachState(connection);
  return {
    async open(data) {
      const state = await attachState(data);
      const connect = async () => {
        const connected = await instance.connect();
        await connected.run(`set search_path = '${state.schema}'`);
        return connected;
      };
      return createDuckDbEngine({ options, verify, connect, close: state.detach });
    },
  };
}

/** A state whose databases are attached. */
interface State {
  /** The schema with a view for each source. */
  readonly schema: string;
  readonly detach: () => Promise<void>;
}

/** Returns the function that attaches states, one after another. */
function createAttachState(connection: DuckDBConnection): (data: EngineData) => Promise<State> {
  const attachOnce = createAttachOnce(connection);
  let work: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(step: () => Promise<T>): Promise<T> => {
    const done = work.then(step);
    work = done.catch(() => {});
    return done;
  };

  async function attach(data: EngineData): Promise<State> {
    const used: Attached[] = [];
    const detach = async () => {
      for (const { detach } of used.toReversed()) await detach();
    };
    const use: Use = async (key, statements) => {
      const attached = await attachOnce(key, statements);
      used.push(attached);
      return attached.name;
    };
    try {
      return { schema: await useViews(data, use), detach: () => inTurn(detach) };
    } catch (error) {
      await detach();
      throw error;
    }
  }

  return (data) => inTurn(() => attach(data));
}

/** Attaches a database, unless one with the same key is attached, and returns its name. */
type Use = (key: string, statements: (name: string) => string) => Promise<string>;

/** Returns the schema of the views. */
async function useViews(data: EngineData, use: Use): Promise<string> {
  const names = new Map<string, string>();
  for (const file of filesOf(data)) {
    names.set(file, await use(file, (name) => attachFile(file, name)));
  }
  const viewsIn = (schema: string) => viewsOf(data, { names, schema });
  const name = await use(viewsIn('logs').join(), (name) => {
    const schema = `${name}.logs`;
    const opening = [`attach ':memory:' as ${name}`, `create schema ${schema}`];
    return [...opening, ...viewsIn(schema)].join(';\n');
  });
  return `${name}.logs`;
}

/** A database that a state uses. */
interface Attached {
  readonly name: string;
  readonly detach: () => Promise<void>;
}

/** Returns a function that attaches each database once, by its key, for all states that use it. */
function createAttachOnce(connection: DuckDBConnection) {
  const attached = new Map<string, { readonly name: string; users: number }>();
  const prefix = `logs_${randomBytes(16).toString('hex')}`;
  let count = 0;
  const detach = (name: string) => connection.run(`detach database if exists ${name}`);

  async function open(name: string, statements: string): Promise<void> {
    try {
      await connection.run(statements);
    } catch (error) {
      await detach(name);
      throw error;
    }
  }

  return async (key: string, statements: (name: string) => string): Promise<Attached> => {
    const known = attached.get(key) ?? { name: `${prefix}_${count++}`, users: 0 };
    if (known.users === 0) await open(known.name, statements(known.name));
    known.users += 1;
    attached.set(key, known);
    return {
      name: known.name,
      async detach() {
        known.users -= 1;
        if (known.users > 0) return;
        attached.delete(key);
        await detach(known.name);
      },
    };
  };
}
