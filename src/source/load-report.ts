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
