import type { SourceSchema } from '../../types/schema.js';
import type { Field } from '../../types/types.js';
import type { Contents } from '../columns/contents.js';
import type { LogFile } from '../files/files.js';
import type { FileReport } from './report.js';

/** The input and output of a load; plain values, to be sent to a child process. */
export interface LoadOptions {
  readonly sources: readonly SourceLoad[];
  /** The database file to write; an existing one is replaced. */
  readonly database: string;
  /** In DuckDB's notation, such as `4GB`. */
  readonly memoryLimit: string;
  readonly threads: number;
  /** How many of the newest rows of each project are stored as they are printed, too; by default none. */
  readonly newestRows?: number;
  /** The key of the ids that are made for records without one, in hex; by default one that is made for this load. */
  readonly idKey?: string | undefined;
  /** How many undeclared fields of a source get types of their own; by default {@link defaultMaxFields}. */
  readonly maxFields?: number;
  /** Whether it has the priority of queries; by default, it has that of this process. */
  readonly isLater?: boolean;
}

/** What to load into the table of one source. */
export interface SourceLoad {
  /** The declared source. */
  readonly source: SourceSchema;
  /** The schema of its records that are stored already. */
  readonly base?: SourceSchema | undefined;
  /** The columns that have types already, which they keep; not in a fresh load. */
  readonly typed?: readonly Field[];
  /** The contents of those records, or of the carried ones. */
  readonly contents?: Contents | undefined;
  readonly files: readonly LogFile[];
  /** Stored records that are written once more, because their files cannot be read. */
  readonly carried?: CarriedRecords | undefined;
  /** Instead of files: the tables of this source that are merged into one with the columns of `base`. */
  readonly parts: readonly StoredTable[];
}

/** A table of stored records of a source. */
export interface StoredTable {
  /** The database file. */
  readonly file: string;
  readonly columns: readonly Field[];
}

/** Stored records of a source. */
export interface CarriedRecords {
  readonly parts: readonly StoredTable[];
  readonly records: number;
}

/** The result of loading one source. */
export interface LoadedSource {
  readonly schema: SourceSchema;
  /** The contents of the records loaded now, without those of `base`. */
  readonly contents: Contents;
  /** The project of all records loaded now, if they have only one. */
  readonly project?: string | undefined;
  readonly files: readonly FileLoad[];
}

/** The result of loading one file, and what is needed to continue when it has grown. */
export interface FileLoad {
  readonly report: FileReport;
  /** The number of lines read, and of those that are not blank; absent if the file cannot grow. */
  readonly read?: { readonly lines: number; readonly records: number };
}
