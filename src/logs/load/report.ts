import { SetupError } from '../../errors/errors.js';

/**
 * A fault in a file. Lines count from 1 and are rows in Parquet and elements in an array; absent if the
 * fault concerns the whole file.
 */
export interface LogFileFault {
  readonly file: string;
  readonly line?: number;
  readonly message: string;
}

/** The result of loading one file. */
export interface FileReport {
  readonly source: string;
  /** Its name relative to the data folder. */
  readonly file: string;
  /** Records loaded. */
  readonly records: number;
  /** Skipped lines. */
  readonly badLines: number;
  /** Values that became NULL. */
  readonly badFields: number;
  /** The first five, in order. */
  readonly faults: readonly LogFileFault[];
  /** One of those that were found last, if it is not among the first. */
  readonly latest?: LogFileFault;
  /** Whether records got the file's time, because none of a project's records has its own. */
  readonly takesFileTime?: boolean;
  /** False if nothing in the file could be read. */
  readonly readable: boolean;
}

/**
 * Returns a line for each listed fault, `<file>:<line>: <message>`, and one that counts the others of a file, with an
 * example: the lines before it may have been printed long ago.
 */
export function faultLines(reports: readonly FileReport[]): readonly string[] {
  return reports.flatMap((report) => {
    const { file, faults, badLines, badFields } = report;
    const lines = faults.map(({ line, message }) =>
      line === undefined ? `${file}: ${message}` : `${file}:${line}: ${message}`,
    );
    const more = badLines + badFields - faults.filter(({ line }) => line !== undefined).length;
    const example = report.latest ?? faults.at(-1);
    if (more <= 0) return lines;
    if (example === undefined) return [`${file}: ${more} lines or values cannot be read`];
    return [...lines, `${file}: ${more} more like line ${example.line}: ${example.message}`];
  });
}

/**
 * @param shaped the sources whose files have a shape named by the user
 * @throws SetupError if none of the files can be read, and with `strict` for any fault
 */
export function refuseFaults(
  dataFolder: string,
  reports: readonly FileReport[],
  { shaped, strict }: { readonly shaped: ReadonlySet<string>; readonly strict: boolean },
): void {
  if (reports.length > 0 && reports.every(({ readable }) => !readable)) {
    const source = reports.find((report) => !shaped.has(report.source))?.source;
    const hint = `; lines of another program need their shape, as in --as ${source}=pino`;
    const line = `${dataFolder}: no file can be read${source === undefined ? '' : hint}`;
    throw new SetupError([line, ...faultLines(reports)]);
  }
  if (strict && reports.some(({ faults }) => faults.length > 0)) {
    throw new SetupError(faultLines(reports));
  }
}
