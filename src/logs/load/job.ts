import type { SourceSchema } from '../../types/schema.js';
import type { Holding } from '../columns/contents.js';
import type { LogFile } from '../files/files.js';
import type { FileReport } from './report.js';

/** What a load reads and where it writes; plain values all, so that they can cross to a child process. */
export interface LoadOptions {
  readonly sources: readonly SourceLoad[];
  /** The database file to write; one that is there is replaced. */
  readonly database: string;
  /** As DuckDB reads it: `4GB`. */
  readonly memoryLimit: string;
  readonly threads: number;
}

/** What the table of one source is made from. */
export interface SourceLoad {
  /** The source as it is declared. */
  readonly source: SourceSchema;
  /** How its other records are stored already. */
  readonly base?: SourceSchema;
  /** What those hold. */
  readonly holds?: Holding | undefined;
  readonly files: readonly LogFile[];
  /** Or else: the database files whose tables of it become one. */
  readonly parts: readonly string[];
}

/** The table of a source that was written, and from what. */
export interface LoadedSource {
  readonly schema: SourceSchema;
  /** What its records hold, without those of the base. */
  readonly holds: Holding;
  /** The project of every record, where there is only one. */
  readonly project?: string | undefined;
  /** Whether the records are stored as those of the base are; else all must be loaded anew. */
  readonly fits: boolean;
  readonly files: readonly FileLoad[];
}

/** What became of a file, and what must be known to go on with it when it has grown. */
export interface FileLoad {
  readonly report: FileReport;
  /** The lines that were read, and those of them that are not blank; absent where it cannot grow. */
  readonly read?: { readonly lines: number; readonly records: number };
  readonly hasMadeIds: boolean;
}
