import { parseLql } from '../../compiler/lql/lql.js';
import { stringText } from '../../compiler/syntax/print-literal.js';
import type { AnswerValue, ListedTable } from './endpoint.js';
import { findPath, type RecordPath } from './record-paths.js';
import { outline } from './sql-outline.js';
import { rangesOf, resolveName } from './sql-scope.js';

/** A position in a query at which a field's value is written. */
export interface ValuePlace {
  /** The start of the value. */
  readonly from: number;
  readonly table: ListedTable;
  readonly path: RecordPath;
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
  const table = tables.find(({ name }) => name === readSourceName(text)) ?? tables[0];
  if (names === undefined || table === undefined) return undefined;
  const path = findPath(table.schema.fields, names.replace(/^m\./, 'metadata.').split('.'));
  const print = (one: AnswerValue) =>
    typeof one === 'string' ? `"${one.replaceAll(/["\\]/g, '\\$&')}"` : String(one);
  return path && { from: at - value.length, table, path, print };
}

function readSourceName(text: string): string | undefined {
  try {
    return parseLql(text).from?.text;
  } catch {
    return /(?:^|\s)(?:f|from):(\S+)/.exec(text)?.[1];
  }
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
  const field = select && resolveName(names?.split('.') ?? [], rangesOf(select, tables));
  const print = (one: AnswerValue) => (typeof one === 'string' ? stringText(one) : String(one));
  return field && { ...field, from: at - value.length, print };
}
