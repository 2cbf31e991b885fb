import { SetupError } from '../../errors/errors.js';

/** Something wrong in a file; the line counts from 1 (the row in Parquet, the element in an array), absent where the whole file is meant. */
export interface FileFault {
  readonly file: string;
  readonly line?: number;
  readonly message: string;
}

/** What became of one file. */
export interface FileReport {
  readonly source: string;
  /** The name relative to the data folder. */
  readonly file: string;
  /** Records loaded. */
  readonly records: number;
  /** Lines left out. */
  readonly badLines: number;
  /** Values that became NULL. */
  readonly badFields: number;
  /** The first five, in order. */
  readonly faults: readonly FileFault[];
  /** False when nothing of the file could be read. */
  readonly readable: boolean;
}

/** One line for each fault of each file, as `<file>:<line>: <message>`, and for those not listed. */
export function faultLines(reports: readonly FileReport[]): readonly string[] {
  return reports.flatMap((report) => {
    const { file, faults, badLines, badFields } = report;
    const lines = faults.map(({ line, message }) =>
      line === undefined ? `${file}: ${message}` : `${file}:${line}: ${message}`,
    );
    const more = badLines + badFields - faults.length;
    return more > 0 ? [...lines, `${file}: ${more} more like these`] : lines;
  });
}

/** @throws SetupError where none of the files can be read; for any fault while `strict` */
export function refuseFaults(
  dataFolder: string,
  reports: readonly FileReport[],
  strict: boolean,
): void {
  if (reports.length > 0 && reports.every(({ readable }) => !readable)) {
    throw new SetupError([`${dataFolder}: no file can be read`, ...faultLines(reports)]);
  }
  if (strict && reports.some(({ faults }) => faults.length > 0)) {
    throw new SetupError(faultLines(reports));
  }
}
