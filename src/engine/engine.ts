import type { Format, FormatColumn } from '../formats/formats.js';

/** One SELECT in an engine's dialect, with its values. */
export interface Select {
  readonly sql: string;
  /**
   * The tables that the text reads: `logs.<source>`, or `temp.<table>` of an earlier step. DuckDB engines refuse to
   * read any other table; for BigQuery, the list is empty.
   */
  readonly tables: readonly string[];
  /** Values by parameter name, as text; null is SQL's NULL. */
  readonly values: Readonly<Record<string, string | null>>;
  /** The BigQuery types of the values, by name, for an engine whose texts do not cast them; STRING by default. */
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
 * What an engine runs. Its text returns at most `maxRows` + 1 rows: for DuckDB one column, with each row's JSON object as
 * UTF-8; for BigQuery the columns themselves.
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
  /** The time range that it reads, for an engine that bills reads. */
  readonly window?: ReadWindow;
}

/** A number of milliseconds before a time, as in {@link NewestRequest}, or before the window's `now`. */
export interface WindowTime {
  readonly time?: string;
  readonly msBefore: number;
}

/**
 * The time range that a statement reads: from a start; or a number of the newest rows, from a start that the engine
 * binds to `window_start`; or everything.
 */
export type ReadWindow = Readonly<
  /** The known starts of each read, of which the latest counts; an empty list means that none is known. */
  | { kind: 'bounded'; starts: readonly (readonly WindowTime[])[]; now: string }
  /** The rows end at the first of `ends`, or now. */
  | {
      kind: 'newest';
      /** Infinity for all rows. */
      rows: number;
      ends: readonly WindowTime[];
      now: string;
    }
  | { kind: 'open' }
>;

/** The newest records of one source, newest first, with some of its columns. */
export interface NewestRequest {
  readonly source: string;
  /** Absent for the records of all projects. */
  readonly project?: string;
  /** Bounds of the timestamp, as `YYYY-MM-DD HH:MM:SS.ffffff+00:00`, with `T` or a space. */
  readonly bounds: readonly { readonly operator: '>' | '>=' | '<' | '<='; readonly time: string }[];
  /** Absent if all are wanted. */
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
  /** What the rows lack, in ASCII, if the engine has read less than was asked for. */
  readonly note?: string;
}

/** The time spent on a statement, in milliseconds. */
export interface Timings {
  readonly queueMs: number;
  readonly engineMs: number;
  readonly encodeMs: number;
}

/** Runs statements over the sources. */
export interface Engine {
  readonly dialect: 'duckdb' | 'bigquery';
  /**
   * Runs one statement; it stops when the signal fires.
   * @throws ServiceError `invalidQuery` (the statement failed on its data), `resourcesExceeded`
   * (memory or size of the result), `timeout`, `backendBusy` (the queue is full); StatementFault for a bug
   */
  run(statement: Statement, options: RunOptions): Promise<Result>;
  /** Refuses new statements as `backendBusy`; does not wait for running ones. */
  close(): Promise<void>;
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
  /** How many more statements could run at once. */
  readonly spare: number;
  /** Whether a statement could run now, judging by the last one. */
  readonly canStart: boolean;
  /** Engine processes, open or opening; absent if the engine has none. */
  readonly processes?: number;
  /** Processes that were killed or crashed since the start. */
  readonly restarts?: number;
  /** The bytes billed since the start; absent for an engine that bills nothing. */
  readonly billedBytes?: number;
}
