import type { Format, FormatColumn } from '../formats/formats.js';
import type { TimeWindow } from '../types/time-window.js';

/** One SELECT in an engine's dialect, with its values. */
export interface Select {
  readonly sql: string;
  /**
   * The tables that the text reads: `logs.<source>`, or `temp.<table>` of an earlier step. DuckDB engines refuse to
   * read any other table; for a remote engine, the list is empty.
   */
  readonly tables: readonly string[];
  /** Values by parameter name, as text; null is SQL's NULL. */
  readonly values: Readonly<Record<string, string | null>>;
  /** The GoogleSQL types of the values, by name, for an engine whose texts do not cast them; STRING by default. */
  readonly types?: Readonly<Record<string, string>>;
}

/** A temporary table, written in the statement's connection before the statement runs. */
export interface Step extends Select {
  /** Its name in the schema `temp`. */
  readonly table: string;
  /** Whether it reads other projects' rows; its error messages then quote no values. */
  readonly isGather: boolean;
}

/**
 * The input of an engine. Its text returns at most `maxRows` + 1 rows: for DuckDB one column, with each row's JSON
 * object as UTF-8; for a remote engine the columns themselves.
 */
export interface Statement extends Select {
  /** In the order in which they run; none by default. */
  readonly steps?: readonly Step[];
  /** Whether all rows that the text reads are the caller's own; error messages may then quote values. */
  readonly readsOwnRows?: boolean;
  readonly maxRows: number;
  /** Whether personal data is redacted in error messages. */
  readonly redact?: boolean;
  /** The format of the result; JSON by default. */
  readonly format?: Format;
  /** The columns of the rows, for a format that needs them. */
  readonly columns?: readonly FormatColumn[];
  /** Set if the statement only asks for the newest records of a source, not redacted. */
  readonly newest?: NewestRequest;
  /** The time range that it reads, and the time of the request, for an engine that bills reads. */
  readonly window?: TimeWindow & { readonly now: string };
}

/** The newest records of one source, newest first, with some of its columns. */
export interface NewestRequest {
  readonly source: string;
  /** Absent for the records of all projects. */
  readonly project?: string;
  /** Bounds of the timestamp, as `YYYY-MM-DD HH:MM:SS.ffffff+00:00`, with `T` or a space. */
  readonly bounds: readonly { readonly operator: '>' | '>=' | '<' | '<='; readonly time: string }[];
  /** The maximum number of records; absent if all are wanted. */
  readonly limit?: number;
  /** The names in the answer and in the source. */
  readonly columns: readonly { readonly name: string; readonly column: string }[];
}

/** Encoded rows. */
export interface Result {
  /** The rows in their format; in JSON an array of objects, as UTF-8. */
  readonly body: Uint8Array<ArrayBuffer>;
  /** The digest of the body, if the engine process has computed it: for megabytes it takes milliseconds. */
  readonly digest?: string;
  readonly format: Format;
  readonly rowCount: number;
  /** True when more than `maxRows` rows existed. */
  readonly truncated: boolean;
  readonly timings: Timings;
  /** The bytes billed for the statement, if the engine bills. */
  readonly billedBytes?: number;
  /** A note, in ASCII, on the rows that are missing because the engine has read less than was asked for. */
  readonly note?: string;
}

/** The time spent on a statement, in milliseconds. */
export interface Timings {
  readonly queueMs: number;
  readonly engineMs: number;
  readonly encodeMs: number;
}

/** The properties of an engine on which the service's own statements depend. */
export interface Dialect {
  /** A statement that fails for an invalid regular expression `p_pattern`. */
  readonly matchPattern: Pick<Statement, 'sql' | 'columns'>;
  /** Whether the data is elsewhere: every statement costs money, and none names the tables that it reads. */
  readonly isRemote: boolean;
}

/** Runs statements over the sources. */
export interface Engine {
  readonly dialect: Dialect;
  /**
   * Runs one statement; it stops when the signal fires.
   * @throws ServiceError `invalidQuery` (the statement failed on its data), `resourcesExceeded`
   * (memory or size of the result), `timeout`, `backendBusy` (the queue is full); StatementFault for a bug
   */
  run(statement: Statement, options: RunOptions): Promise<Result>;
  /** Refuses new statements as `backendBusy`; does not wait for running ones. */
  close(): Promise<void>;
}

/** An engine that can also explain a statement. */
export interface ExplainingEngine extends Engine {
  /** The plans of a statement's steps and of the statement, as the engine draws them, or what it would read. */
  explainPlan(statement: Statement): Promise<string>;
}

/** The caller of a statement, and how to stop it. */
export interface RunOptions {
  readonly signal: AbortSignal;
  /** Identifies the caller for the fair queue; any string. Absent for the service itself. */
  readonly caller?: string;
  /** The endpoint, token and request of the statement, for an engine that labels its jobs. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Called when the statement leaves the queue. */
  readonly onStart?: () => void;
}

/** The load of the engines of a pool. */
export interface PoolState {
  readonly running: number;
  /** Queued statements. */
  readonly waiting: number;
  /** The number of additional statements that could run at once. */
  readonly spare: number;
  /** Whether statements can run now, judging by the last attempt. */
  readonly canStart: boolean;
  /** Engine processes, open or opening; absent if the engine has none. */
  readonly processes?: number;
  /** Processes that were killed or crashed since the start. */
  readonly restarts?: number;
  /** The bytes billed since the start; absent for an engine that bills nothing. */
  readonly billedBytes?: number;
}
