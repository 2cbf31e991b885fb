import type { SourceSchema } from '../../types/schema.js';
import type { Field } from '../../types/types.js';
import type { StoredShape } from '../columns/shape.js';
import type { LogFile } from '../files/files.js';
import type { FileReport } from './report.js';

/** The input and output of a load; plain values, to be sent to a child process. */
export interface LoadOptions {
  readonly sources: readonly SourceLoad[];
  /** The database file to write; an existing one is replaced. */
  readonly database: string;
  /** In DuckDB's notation, such as `4GB`. */
  readonly memoryLimit: string;
  /** The number of threads of a large load; a small one uses one. */
  readonly threads: number;
  /** The number of the newest rows of each project to store in printed form, too; by default none. */
  readonly newestRows?: number;
  /** The key for the ids of records without one, in hex; by default a new key for this load. */
  readonly idKey?: string | undefined;
  /** The maximum number of undeclared fields of a source that get types; by default {@link defaultMaxFields}. */
  readonly maxFields?: number;
  /** Whether it runs at the priority of queries; by default, it has the priority of this process. */
  readonly isLater?: boolean;
}

/** The data to load into the table of one source. */
export interface SourceLoad {
  /** The declared source. */
  readonly source: SourceSchema;
  /** The schema of its records that are already stored. */
  readonly base?: SourceSchema | undefined;
  /** The columns that already have types, and keep them; absent in a fresh load. */
  readonly typed?: readonly Field[];
  /** The columns of the tables that stay. If the new schema cannot read all of them, the source is not written. */
  readonly kept?: readonly (readonly Field[])[];
  /** The contents of the records already stored, and of those in `parts`. */
  readonly contents?: StoredShape | undefined;
  readonly files: readonly LogFile[];
  /** Stored records to write again: to merge them, or because their files cannot be read. */
  readonly parts: readonly StoredTable[];
}

/** A table of stored records of a source. */
export interface StoredTable {
  /** The database file. */
  readonly file: string;
  readonly columns: readonly Field[];
  readonly records: number;
}

/** The result of loading one source. */
export interface LoadedSource {
  readonly schema: SourceSchema;
  /** Whether a table was written: its schema can read the tables that stay. */
  readonly isWritten: boolean;
  /** The columns of its table; absent if they are those of the schema. */
  readonly partColumns?: readonly Field[] | undefined;
  /** The contents of the records loaded now, excluding those of `base`. */
  readonly contents: StoredShape;
  /** The project of all records loaded now, if they share one. */
  readonly project?: string | undefined;
  readonly files: readonly FileLoad[];
}

/** The result of loading one file, and what is needed to resume when it has grown. */
export interface FileLoad {
  readonly report: FileReport;
  /** The number of lines read, including blank ones; absent if the file cannot grow. */
  readonly lines?: number;
}
