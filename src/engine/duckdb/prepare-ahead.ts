import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DuckDBConnection, DuckDBPreparedStatement } from '@duckdb/node-api';
import { LRUCache } from 'lru-cache';
import { digestOf } from '../digest.js';
import type { Select, Statement } from '../engine.js';
import { prepareSelect, prepareStep } from '../verify/verify.js';
import type { Connections } from './connect-ahead.js';

/** A fresh connection for one run of a statement. */
export interface RunConnection {
  readonly connection: DuckDBConnection;
  /** The text that runs first, if it was prepared ahead; then the statement has run before, and all of its texts are verified. */
  readonly first: DuckDBPreparedStatement | undefined;
}

/**
 * Opens a connection for each run. After a run, the first text of a statement is prepared for the next run, on another
 * connection, if it is short and has values. DuckDB plans it for the values of that run, but parses and binds it before.
 */
export interface RunConnections {
  /** Runs work with a connection, and closes it in the next turn of the event loop: the result leaves first. */
  use<T>(statement: Statement, work: (own: RunConnection) => Promise<T>): Promise<T>;
  /** Closes the connections that are not in use. */
  close(): Promise<void>;
}

/** How many statements are prepared; each takes less than a megabyte. */
const maxPrepared = 32;

/**
 * The length of the longest text that is prepared ahead. In an engine process the next statement waits for it: 1 to 2 ms for
 * a text of the endpoints that ship, up to 0.3 s for one of this length that consists of calls of large macros.
 */
const maxPreparedLength = 8192;

/** Creates connections that prepare statements ahead of time. */
export function prepareAhead(connections: Connections): RunConnections {
  const closing = new Set<Promise<void>>();
  const track = (work: Promise<void>) => {
    // A connection that cannot be closed concerns no statement.
    const closed = work.catch(() => {}).finally(() => closing.delete(closed));
    closing.add(closed);
  };
  const closeNext = (next: Promise<RunConnection | undefined>) =>
    track(next.then((own) => own?.connection.closeSync()));
  const prepared = new LRUCache<string, Promise<RunConnection | undefined>>({
    max: maxPrepared,
    dispose: (next, _key, reason) => reason !== 'delete' && closeNext(next),
  });
  let isClosed = false;

  async function take(key: string): Promise<RunConnection> {
    const next = prepared.get(key);
    // A connection is for one run only.
    prepared.delete(key);
    return (await next) ?? { connection: await connections.open(), first: undefined };
  }

  async function prepareNext(statement: Statement): Promise<RunConnection | undefined> {
    const connection = await connections.open().catch(() => undefined);
    if (connection === undefined) return undefined;
    try {
      return { connection, first: await prepareFirst(connection, statement) };
    } catch {
      connection.closeSync();
      return undefined;
    } finally {
      connections.openAhead();
    }
  }

  return {
    async use(statement, work) {
      const key = keyOf(statement);
      const own = await take(key);
      const result = await work(own).finally(() => {
        track(nextTurn().then(() => own.connection.closeSync()));
        connections.openAhead();
      });
      if (!isClosed && preparesAhead(statement)) prepared.set(key, prepareNext(statement));
      return result;
    },
    async close() {
      isClosed = true;
      for (const next of prepared.values()) closeNext(next);
      prepared.clear();
      await Promise.all(closing);
    },
  };
}

/**
 * Whether the text that runs first is prepared ahead: it is short and has values. DuckDB only binds a text with values when
 * it is prepared. It would plan any other text, and fold its constants, which may take seconds and much memory.
 */
function preparesAhead(statement: Statement): boolean {
  const { sql, values }: Select = statement.steps?.[0] ?? statement;
  return sql.length <= maxPreparedLength && Object.keys(values).length > 0;
}

/** Prepares the text that runs first. */
function prepareFirst(
  connection: DuckDBConnection,
  statement: Statement,
): Promise<DuckDBPreparedStatement> {
  const [step] = statement.steps ?? [];
  return step === undefined ? prepareSelect(connection, statement) : prepareStep(connection, step);
}

/** Equal only for statements that are verified and prepared alike. */
function keyOf(statement: Statement): string {
  const steps = statement.steps ?? [];
  const texts = [...steps, statement].map(({ sql, tables, values }: Select) => [
    sql,
    tables,
    Object.keys(values),
  ]);
  return digestOf(JSON.stringify([texts, steps.map(({ table }) => table)]));
}
