import { digestText } from '../process/digest.js';
import type { SourceSchema } from '../types/schema.js';
import { type Field, recordFields } from '../types/types.js';
import { printRow, projectSql } from './print-columns.js';

/** The schema of a database file with the newest rows of its sources: a table for each, named like the source's own. */
export const newestSchema = 'newest';

/** A source whose newest rows are kept in printed form, and the details that a reader needs. */
export interface NewestTable {
  readonly source: string;
  /** The columns of a printed row, in order. */
  readonly columns: readonly string[];
  /** The comments of tables whose rows have the current printed form; new tables get the first one. */
  readonly prints: readonly [string, ...string[]];
  /** The project of all rows, if they share one; the empty string if the source has no projects. */
  readonly onlyProject?: string;
}

/**
 * Describes the table of a source's newest rows; undefined if none are kept, because a record may have several
 * projects.
 */
export function newestTable(source: SourceSchema): NewestTable | undefined {
  const { name, columns, projectPath, onlyProject, parts = [] } = source;
  const print = digestPrint(source);
  if (print === undefined) return undefined;
  const others = parts.flatMap(({ columns: own }) =>
    own && isPrintedAlike(own, columns) ? (digestPrint({ ...source, columns: own }) ?? []) : [],
  );
  const only = projectPath === undefined ? '' : onlyProject;
  return {
    source: name,
    columns: columns.map((column) => column.name),
    prints: [print, ...others],
    ...(only !== undefined && { onlyProject: only }),
  };
}

function digestPrint(source: SourceSchema): string | undefined {
  const project = projectSql(source);
  return project === undefined ? undefined : digestText(`${project} ${printRow(source)}`);
}

/** Whether `columns` are printed in the same way as `some`: an undeclared field is shown only if it has a value. */
function isPrintedAlike(some: readonly Field[], columns: readonly Field[]): boolean {
  const isFirst = some.every(({ name }, index) => columns[index]?.name === name);
  return isFirst && addsOnlyUndeclared(some, columns);
}

function addsOnlyUndeclared(some: readonly Field[], all: readonly Field[]): boolean {
  const left = some.filter(({ stored }) => stored);
  const isSame = all
    .filter(({ stored }) => stored)
    .every(({ name, type, undeclared }) => {
      if (left[0]?.name !== name) return undeclared;
      const [before] = left.splice(0, 1);
      return before && addsOnlyUndeclared(recordFields(before.type), recordFields(type));
    });
  return isSame && left.length === 0;
}
