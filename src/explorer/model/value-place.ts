import { tableOfLql } from './complete-lql.js';
import type { AnswerValue, ListedTable } from './endpoint.js';
import { lqlText } from './filter-lql.js';
import { printLiteral } from './filter-sql.js';
import { findPath, leafField, type SourceField } from './record-paths.js';
import { outline } from './sql-outline.js';
import { knownRanges, resolveName } from './sql-scope.js';

/** A position in a query at which a field's value is written. */
export interface ValuePlace extends SourceField {
  /** The start of the value. */
  readonly from: number;
  readonly print: (value: AnswerValue) => string;
}

/** Finds the field whose value is being written at the cursor in LQL: after `m.level:`, or `m.level:>=`. */
export function valuePlaceInLql(
  text: string,
  at: number,
  tables: readonly ListedTable[],
): ValuePlace | undefined {
  const [, names, value = ''] =
    /(?:^|\s)-?([\p{L}_][\p{L}\p{N}_.-]*):(?:>=|<=|>|<)?("?[^\s"]*)$/u.exec(text.slice(0, at)) ??
    [];
  const table = tableOfLql(text, tables);
  if (names === undefined || table === undefined) return undefined;
  const path = findPath(table.schema.fields, names.replace(/^m\./, 'metadata.').split('.'));
  return path && { from: at - value.length, table, path, print: lqlText };
}

/** Finds the field whose value is being written at the cursor in SQL: after `m.level = `. */
export function valuePlaceInSql(
  text: string,
  at: number,
  tables: readonly ListedTable[],
): ValuePlace | undefined {
  const [, names, value = ''] =
    /([\p{L}_][\p{L}\p{N}_.]*)\s*(?:=|!=|<>)\s*('?[\p{L}\p{N}_/.-]*)$/u.exec(text.slice(0, at)) ??
    [];
  const select = names === undefined ? undefined : outline(text, at);
  const found = select && resolveName(names?.split('.') ?? [], knownRanges(select, tables));
  if (found === undefined) return undefined;
  const print = (one: AnswerValue) => printLiteral(one, leafField(found.path));
  return { ...found, from: at - value.length, print };
}
