import type { DuckDBConnection } from '@duckdb/node-api';

/** Opens connections, which the caller closes. */
export interface Connections {
  open(): Promise<DuckDBConnection>;
  /** Opens the next connection now, unless it is open. */
  openAhead(): void;
  /** Opens no more connections; a database must not be closed while one is opening. */
  close(): Promise<void>;
}

/** Opens a connection ahead of time, which saves a third of a millisecond. */
export function connectAhead(connect: () => Promise<DuckDBConnection>): Connections {
  let isClosed = false;
  let next: Promise<DuckDBConnection> | undefined;
  return {
    open() {
      const opened = next ?? connect();
      next = undefined;
      return opened;
    },
    openAhead() {
      if (isClosed) return;
      next ??= connect();
      // A failure surfaces when the connection is used.
      next.catch(() => {});
    },
    async close() {
      isClosed = true;
      await next?.then((connection) => connection.closeSync()).catch(() => {});
    },
  };
}
