import type { FieldSchema } from '../../types/table-schema.js';
import type { AnswerValue } from './endpoint.js';
import { isComparable, type Wanted } from './filter-sql.js';
import { readLql } from './matches.js';
import { findPath, leafField } from './record-paths.js';

/**
 * Adds a filter to an LQL query, so that only rows with a value remain. Undefined if LQL cannot express it, and for
 * charts, whose rows are not records.
 */
export function filterLql(
  text: string,
  { names, value, isOut = false }: Wanted,
  columns: readonly FieldSchema[],
): string | undefined {
  const found = findPath(columns, names);
  const source = sourceOfField(text, names);
  if (found === undefined || source === undefined || !isComparable(found, value)) return undefined;
  const { type, mode } = leafField(found);
  const path = source.map((name) => name.replace(/^metadata$/, 'm'));
  const isWord = path.every((name) => /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name));
  if (!isWord || (type === 'BYTES' && value !== null)) return undefined;
  const operator = mode === 'REPEATED' ? ':@>' : ':';
  const shown = path.join('.') === 'm' ? 'metadata' : path.join('.');
  // LQL can compare only this time, in microseconds: `t:1773144000000000`.
  const isTime = type === 'TIMESTAMP';
  if (isTime && (shown !== 'timestamp' || value === null)) return undefined;
  const filter = isTime ? `t:${value}` : `${shown}${operator}${lqlText(value)}`;
  return `${text.trimEnd()} ${isOut ? '-' : ''}${filter}`.trimStart();
}

/** Returns the path of a result's field in its table: `s:m.request.path@p` names the column `p`. */
function sourceOfField(text: string, names: readonly string[]): readonly string[] | undefined {
  const lql = readLql(text);
  if (lql === undefined || lql.chart !== undefined) return undefined;
  const [column = '', ...rest] = names;
  const item = lql.select.find(
    ({ alias, path }) => (alias?.text ?? path?.parts.at(-1)?.text) === column,
  );
  return [...(item?.path?.parts.map((part) => part.text) ?? [column]), ...rest];
}

/** Prints a value in LQL, a string in quotes. */
export function lqlText(value: AnswerValue): string {
  if (value === null) return 'NULL';
  return typeof value === 'string' ? `"${value.replaceAll(/["\\]/g, '\\$&')}"` : String(value);
}
