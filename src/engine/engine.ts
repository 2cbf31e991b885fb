/** One SELECT in an engine's dialect, with its values. */
export interface Select {
  readonly sql: string;
  /** The tables that the text reads: `logs.<source>`, or `temp.<table>` of an earlier step; it runs only where that is true. */
  readonly tables: readonly string[];
  /** Values by parameter name, as text; null is SQL's NULL. */
  readonly values: Readonly<Record<string, string | null>>;
}

/** A temporary table that is written, in the statement's own connection, before the statement runs. */
export interface Step extends Select {
  /** Its name in the schema `temp`. */
  readonly table: string;
  /** Whether it reads other projects' rows; its failures then quote no value. */
  readonly isGather: boolean;
}

/**
 * What an engine runs. The text gives one column, the UTF-8 of each row's JSON object, and asks for
 * `maxRows` + 1 rows.
 */
export interface Statement extends Select {
  /** In the order in which they run; by default none. */
  readonly steps?: readonly Step[];
  /** Whether every row that the text reads is the caller's own: messages of failures may quote values. */
  readonly readsOwnRows?: boolean;
  readonly maxRows: number;
  /** Whether personal data is redacted in messages of failures. */
  readonly redact?: boolean;
}

/** Rows, encoded. */
export interface Result {
  /** UTF-8 of a JSON array of row objects. */
  readonly json: Uint8Array;
  readonly rowCount: number;
  /** True when more than `maxRows` rows existed. */
  readonly truncated: boolean;
  readonly timings: Timings;
}

/** Where a statement's time went, in milliseconds. */
export interface Timings {
  readonly queueMs: number;
  readonly engineMs: number;
  readonly encodeMs: number;
}

/** Something that runs statements over the sources. */
export interface Engine {
  readonly dialect: 'duckdb' | 'bigquery';
  /**
   * Runs one statement; the work in the engine stops when the signal fires.
   * @throws ServiceError `invalidQuery` (the statement failed on its data), `resourcesExceeded`
   * (memory or size of the result), `timeout`, `backendBusy` (the queue is full); StatementFault
   */
  run(statement: Statement, options: RunOptions): Promise<Result>;
  /** Refuses what comes, as `backendBusy`; what runs is not waited for. */
  close(): Promise<void>;
}

/** For whom a statement runs, and how long. */
export interface RunOptions {
  readonly signal: AbortSignal;
  /** Any text that tells callers apart, who take turns; without one it is the service itself. */
  readonly caller?: string;
  /** Called when its turn has come. */
  readonly onStart?: () => void;
}
