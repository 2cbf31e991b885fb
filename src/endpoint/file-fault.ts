/** An error in an endpoint file; line and column count from 1. */
export interface FileFault {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** Set if the logs cause the error: the endpoint compiles over the declared sources. */
  readonly isOfLogs?: true;
}

/** Prints an error as one line, `file:line:column: message`. */
export function printFileFault({ file, line, column, message }: FileFault): string {
  return `${file}:${line}:${column}: ${message}`;
}
