/** What an engine runs: text in its own dialect, what it reads, and how many rows may leave. */
export interface Statement {
  /** One SELECT of one column: the UTF-8 of each row's JSON object. It asks for `maxRows` + 1 rows. */
  readonly sql: string;
  /** The tables that the text reads, `logs.<source>` each; it runs only where that is true. */
  readonly tables: readonly string[];
  /** Set where no row that a message could quote is another project's; else messages quote nothing. */
  readonly isFenced?: boolean;
  /** Values by parameter name, as text; null is SQL's NULL. */
  readonly values: Readonly<Record<string, string | null>>;
  readonly maxRows: number;
  /** Whether personal data is taken out of the message where the statement fails on a value. */
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
