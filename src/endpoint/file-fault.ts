/** A fault in an endpoint file; line and column count from 1. */
export interface FileFault {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly message: string;
  /** Set if only the logs make it one: the text compiles over the sources as they are declared. */
  readonly isOfLogs?: true;
}

/** Prints a fault as one line, `file:line:column: message`. */
export function printFileFault({ file, line, column, message }: FileFault): string {
  return `${file}:${line}:${column}: ${message}`;
}
