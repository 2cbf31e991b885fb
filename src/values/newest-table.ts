import { digestText } from '../common/digest.js';
import type { SourceSchema } from '../types/schema.js';
import { printRow, projectSql } from './print-columns.js';

/** The schema of a database file with the newest rows of its sources: a table for each, named like the source's own. */
export const newestSchema = 'newest';

/** A source whose newest rows are kept as they are printed, and what a reader must know of them. */
export interface NewestTable {
  readonly source: string;
  /** The columns of a printed row, in order. */
  readonly columns: readonly string[];
  /** The comment of the table: the rows of a table with another one are printed in another way. */
  readonly print: string;
  /** The project of all rows, if they have only one; the empty text if the source has no projects. */
  readonly onlyProject?: string;
}

/** Describes the table of a source's newest rows; undefined if none are kept, because a record may have several projects. */
export function newestTable(source: SourceSchema): NewestTable | undefined {
  const project = projectSql(source);
  if (project === undefined) return undefined;
  const { name, columns, projectPath, onlyProject } = source;
  const only = projectPath === undefined ? '' : onlyProject;
  return {
    source: name,
    columns: columns.map((column) => column.name),
    print: digestText(`${project} ${printRow(source)}`),
    ...(only !== undefined && { onlyProject: only }),
  };
}
