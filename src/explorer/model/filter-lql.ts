import { parseLql } from '../../compiler/lql/lql.js';
import type { FieldSchema } from '../../types/table-schema.js';
import type { AnswerValue } from './endpoint.js';
import type { Wanted } from './filter-sql.js';
import { findPath } from './record-paths.js';

/**
 * Adds a filter to an LQL query, so that only rows with a value remain. Undefined if LQL cannot express it, and for
 * charts, whose rows are not records.
 */
export function filterLql(
  text: string,
  { names, value, isOut = false }: Wanted,
  columns: readonly FieldSchema[],
): string | undefined {
  const field = findPath(columns, names)?.at(-1);
  const source = sourceOf(text, names);
  if (field === undefined || source === undefined) return undefined;
  const path = source.map((name) => name.replace(/^metadata$/, 'm'));
  const isWord = path.every((name) => /^[\p{L}_][\p{L}\p{N}_-]*$/u.test(name));
  const operand = operandOf(value, field);
  if (!isWord || operand === undefined) return undefined;
  const operator = field.mode === 'REPEATED' ? ':@>' : ':';
  // LQL can only compare this type of time.
  if (field.type === 'TIMESTAMP') return instantFilter(text, path, { names, value, isOut });
  const shown = path[0] === 'm' && path.length === 1 ? ['metadata'] : path;
  return `${text.trimEnd()} ${isOut ? '-' : ''}${shown.join('.')}${operator}${operand}`.trimStart();
}

/** Returns the path of a result's field in its table: `s:m.request.path@p` names the column `p`. */
function sourceOf(text: string, names: readonly string[]): readonly string[] | undefined {
  try {
    const { chart, select } = parseLql(text);
    if (chart !== undefined) return undefined;
    const [column = '', ...rest] = names;
    const item = select.find(
      ({ alias, path }) => (alias?.text ?? path?.parts.at(-1)?.text) === column,
    );
    return [...(item?.path?.parts.map((part) => part.text) ?? [column]), ...rest];
  } catch {
    return undefined;
  }
}

/** `t:1773144000000000`, which is in microseconds. */
function instantFilter(
  text: string,
  path: readonly string[],
  { value, isOut = false }: Wanted,
): string | undefined {
  if (path.join('.') !== 'timestamp' || value === null) return undefined;
  return `${text.trimEnd()} ${isOut ? '-' : ''}t:${value}`.trimStart();
}

function operandOf(value: AnswerValue, { type }: FieldSchema): string | undefined {
  if (value === null) return 'NULL';
  if (typeof value === 'object' || type === 'BYTES') return undefined;
  if (typeof value !== 'string') return String(value);
  return `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}
