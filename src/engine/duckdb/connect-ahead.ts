import type { DuckDBConnection } from '@duckdb/node-api';

/** Provides a fresh connection for each statement. */
export interface Connections {
  /** Runs work with a connection, and closes it afterwards. */
  use<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T>;
  /** Opens no more connections; a database must not be closed while one is opening. */
  close(): Promise<void>;
}

/** Opens the next statement's connection ahead of time, which saves the statement a third of a millisecond. */
export function connectAhead(connect: () => Promise<DuckDBConnection>): Connections {
  let isClosed = false;
  let next: Promise<DuckDBConnection> | undefined;
  const openNext = () => {
    if (isClosed) return;
    next ??= connect();
    // A failure surfaces when the connection is used.
    next.catch(() => {});
  };
  const take = () => {
    const taken = next ?? connect();
    next = undefined;
    return taken;
  };
  return {
    async use(work) {
      const connection = await take();
      try {
        return await work(connection);
      } finally {
        connection.closeSync();
        openNext();
      }
    },
    async close() {
      isClosed = true;
      await next?.then((connection) => connection.closeSync()).catch(() => {});
    },
  };
}
