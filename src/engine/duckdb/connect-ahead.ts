import type { DuckDBConnection } from '@duckdb/node-api';
import { shutdownError } from '../../common/stop-errors.js';

/** Opens connections, which the caller closes. */
export interface Connections {
  /** The connection that was opened ahead, or a new one. @throws ServiceError `backendBusy` after {@link close} */
  open(): Promise<DuckDBConnection>;
  /** Opens the next connection now, unless it is open. */
  openAhead(): void;
  /** Waits for connections that are opening: a database must not be closed before. */
  close(): Promise<void>;
}

/** Opens a connection ahead of time, which saves a third of a millisecond. */
export function connectAhead(connect: () => Promise<DuckDBConnection>): Connections {
  const opening = new Set<Promise<DuckDBConnection>>();
  let isClosed = false;
  let next: Promise<DuckDBConnection> | undefined;
  const start = () => {
    const opened = connect();
    const forget = () => void opening.delete(opened);
    opening.add(opened);
    // A failure surfaces when the connection is used.
    opened.then(forget, forget);
    return opened;
  };
  return {
    async open() {
      if (isClosed) throw shutdownError();
      const opened = next ?? start();
      next = undefined;
      return opened;
    },
    openAhead() {
      if (!isClosed) next ??= start();
    },
    async close() {
      isClosed = true;
      await Promise.allSettled(opening);
      await next?.then((connection) => connection.closeSync()).catch(() => {});
    },
  };
}
