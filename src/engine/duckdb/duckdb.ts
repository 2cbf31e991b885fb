import type {
  DuckDBConnection,
  DuckDBInstance,
  DuckDBMaterializedResult,
  DuckDBPreparedStatement,
} from '@duckdb/node-api';
import { DuckDBBlobVector } from '../../process/duckdb-api.js';
import { shutdownError, stoppedError } from '../../process/stop-errors.js';
import { encodeResult } from '../encode-result.js';
import type { ExplainingEngine, Result, Select, Statement } from '../engine.js';
import { withTimeLimit } from '../time-limit.js';
import { openVerifier, prepareSelect, prepareStep, type Verify } from '../verify/verify.js';
import { duckDbDialect } from './dialect.js';
import { engineServiceError, type Failed } from './engine-error.js';
import { type DatabaseOptions, openDatabase } from './lockdown.js';
import { createNewestRows, type NewestRows } from './newest-rows.js';
import { type State, schemasIn } from './states.js';

/** The options of an engine. */
export interface DuckDbOptions extends DatabaseOptions {
  readonly queryTimeoutMs: number;
  readonly maxResultBytes: number;
}

/** An engine with its own DuckDB instance, which can also open other states of the data. */
export interface OwnDuckDbEngine extends ExplainingEngine {
  /**
   * Opens an engine over other data in the same instance; undefined if the instance is closed or has another number
   * of threads, or if too much data is new.
   */
  openNext(data: DatabaseOptions): Promise<OwnDuckDbEngine | undefined>;
}

/**
 * Opens DuckDB in this process over a database file, locked down so that it can do nothing but read it.
 * @throws SetupError if a lock does not hold; Error if the file is not a database of this service
 */
export async function openDuckDbEngine(options: DuckDbOptions): Promise<OwnDuckDbEngine> {
  const database = await openDatabase(options);
  const { instance, macros } = database;
  const verifier = await openVerifier(await instance.connect(), macros);
  let open = 0;

  async function engineOver(state: State): Promise<OwnDuckDbEngine> {
    open += 1;
    const release = async () => {
      open -= 1;
      if (open > 0) return state.close();
      await verifier.close();
      database.close();
    };
    const connect = () => connectTo(instance, state);
    const connection = await connect().catch(async (error) => {
      await release();
      throw error;
    });
    const newest = createNewestRows(connection, state.newest);
    const close = async () => {
      await newest.close();
      await release();
    };
    const engine = createDuckDbEngine({ options, newest, verify: verifier.verify, connect, close });
    return {
      ...engine,
      async openNext(data) {
        const isSame = open > 0 && data.threads === options.threads;
        const next = isSame ? await database.openNext(data) : undefined;
        return next && engineOver(next);
      },
    };
  }

  return engineOver(database.first);
}

/** Opens a connection that sees only the views of this state. */
export async function connectTo(
  instance: DuckDBInstance,
  { database }: Pick<State, 'database'>,
): Promise<DuckDBConnection> {
  const connection = await instance.connect();
  await connection.run(`set search_path = '${schemasIn(database).join()}'`);
  return connection;
}

/** The parts of an engine. */
export interface EngineParts {
  readonly options: Limits;
  readonly verify: Verify;
  /** Opens a connection to the data, locked down. */
  readonly connect: () => Promise<DuckDBConnection>;
  /** The newest rows, as printed by the loader; by default none. */
  readonly newest?: NewestRows;
  /** Closes the data. */
  readonly close: () => Promise<void>;
}

type Limits = Pick<DuckDbOptions, 'queryTimeoutMs' | 'maxResultBytes'>;

/** Creates an engine that verifies each statement before it runs. */
export function createDuckDbEngine(parts: EngineParts): ExplainingEngine {
  const { options, verify, newest } = parts;
  const connections = createConnections(parts.connect);
  return {
    dialect: duckDbDialect,
    async run(statement, { signal, onStart }) {
      onStart?.();
      const kept = newest && (await answerNewest(newest, statement, { options, signal }));
      if (kept !== undefined) return kept;
      const redact = statement.redact === true ? createRedact(connections) : undefined;
      return connections.use((connection) =>
        runStatement(connection, statement, { options, verify, signal, redact }),
      );
    },
    async explainPlan(statement) {
      return connections.use(async (connection) => {
        const plans = [];
        for (const step of statement.steps ?? []) {
          plans.push(await explainSelect(connection, step, verify));
          const text = await prepareStep(connection, step);
          text.bind({ ...step.values });
          await text.run();
        }
        return [...plans, await explainSelect(connection, statement, verify)].join('\n\n');
      });
    },
    async close() {
      await connections.close();
      await parts.close();
    },
  };
}

/** Answers a request for the newest records from printed rows, if available. */
function answerNewest(
  newest: NewestRows,
  statement: Statement,
  { options, signal }: Pick<Run, 'options' | 'signal'>,
): Promise<Result | undefined> {
  const start = performance.now();
  return withTimeLimit(signal, options.queryTimeoutMs, (limit) =>
    untilAborted(newest.connection, failedBy(statement, undefined), limit, async () => {
      const result = await newest.answer(statement, options.maxResultBytes);
      const timings = { queueMs: 0, engineMs: performance.now() - start, encodeMs: 0 };
      return result && { ...result, timings };
    }),
  );
}

/** Connections that are each used only once. */
type Connections = ReturnType<typeof createConnections>;

function createConnections(connect: EngineParts['connect']) {
  const opening = new Set<Promise<DuckDBConnection>>();
  let isClosed = false;
  return {
    /** Runs work with a new connection. @throws ServiceError `backendBusy` after `close` */
    async use<T>(work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
      if (isClosed) throw shutdownError();
      const opened = connect();
      opening.add(opened);
      const connection = await opened.finally(() => opening.delete(opened));
      return work(connection).finally(() => connection.closeSync());
    },
    /** Waits for connections that are being opened: the database must not be closed before. */
    async close(): Promise<void> {
      isClosed = true;
      await Promise.allSettled(opening);
    },
  };
}

/** Redacts a string with the same macro as the rows. */
function createRedact({ use }: Connections): (text: string) => Promise<string> {
  return (text) =>
    use(async (connection) => {
      const reader = await connection.runAndReadAll('select bq.redact($1::varchar)', [text]);
      return String(reader.getRows()[0]?.[0]);
    });
}

async function explainSelect(
  connection: DuckDBConnection,
  select: Select,
  verify: Verify,
): Promise<string> {
  await verify(select);
  const reader = await connection.runAndReadAll(`explain ${select.sql}`, { ...select.values });
  return reader
    .getRowsJson()
    .map((row) => String(row[1]))
    .join('\n');
}

interface Run {
  readonly options: Limits;
  readonly verify: Verify;
  readonly signal: AbortSignal;
  readonly redact?: Failed['redact'] | undefined;
}

type PrepareText<S> = (connection: DuckDBConnection, select: S) => Promise<DuckDBPreparedStatement>;

/** Writes the temporary tables of the steps, then reads the rows, on one connection. */
async function runStatement(
  connection: DuckDBConnection,
  statement: Statement,
  { options, verify, signal, redact }: Run,
): Promise<Result> {
  const { steps = [] } = statement;
  const runText = async <S extends Select>(select: S, prepare: PrepareText<S>) => {
    await verify(select);
    const text = await prepare(connection, select);
    text.bind({ ...select.values });
    return text.run();
  };
  const start = performance.now();
  const rows = await withTimeLimit(signal, options.queryTimeoutMs, async (limit) => {
    for (const step of steps) {
      const quoting = step.isGather ? 'nothing' : 'values';
      const failed = { sql: step.sql, quoting, redact } as const;
      await untilAborted(connection, failed, limit, () => runText(step, prepareStep));
    }
    return untilAborted(connection, failedBy(statement, redact), limit, async () =>
      blobRows(await runText(statement, prepareSelect)),
    );
  });
  const read = performance.now();
  const result = await encodeResult(rows, statement, options.maxResultBytes);
  const encodeMs = performance.now() - read;
  return { ...result, timings: { queueMs: 0, engineMs: read - start, encodeMs } };
}

/**
 * The interval between repeated interrupts, in milliseconds: DuckDB loses one that arrives before the query has
 * started.
 */
const interruptMs = 25;

/** @throws ServiceError `timeout` if the signal fires; otherwise the statement's error in BigQuery's words */
async function untilAborted<T>(
  connection: DuckDBConnection,
  failed: Failed,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const stop = () => {
    connection.interrupt();
    timer ??= setInterval(() => connection.interrupt(), interruptMs);
  };
  let timer: NodeJS.Timeout | undefined;
  signal.addEventListener('abort', stop);
  try {
    signal.throwIfAborted();
    return await work();
  } catch (error) {
    throw signal.aborted ? stoppedError(signal) : await engineServiceError(error, failed);
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', stop);
  }
}

function failedBy({ sql, tables, readsOwnRows }: Statement, redact: Failed['redact']): Failed {
  const readsNoRows = tables.length === 0;
  return { sql, quoting: readsOwnRows || readsNoRows ? 'values' : 'no values', redact };
}

/** The rows of a one-column result. */
function blobRows(result: DuckDBMaterializedResult): readonly Uint8Array[] {
  const chunks = Array.from({ length: result.chunkCount }, (_, index) => result.getChunk(index));
  return chunks.flatMap((chunk) => {
    const column = chunk.getColumnVector(0);
    if (!(column instanceof DuckDBBlobVector)) throw new Error('a row is not a blob');
    return Array.from({ length: chunk.rowCount }, (_, index) => {
      const row = column.getItemBytes(index);
      if (row === null) throw new Error('a row is NULL');
      return row;
    });
  });
}
