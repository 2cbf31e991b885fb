import { stringText } from '../../compiler/syntax/print-literal.js';
import type { FieldSchema } from '../../types/table-schema.js';
import type { AnswerValue, ListedTable } from './endpoint.js';
import {
  findPath,
  leafField,
  pathKey,
  type ReadingScope,
  type RecordPath,
  readRecordPath,
} from './record-paths.js';
import { type OutlinedSelect, outline, validTokens } from './sql-outline.js';
import { knownRanges, readingScope, resolveName } from './sql-scope.js';

/** A value of a result to filter rows on. */
export interface Wanted {
  /** The names from the column to the field. */
  readonly names: readonly string[];
  readonly value: AnswerValue;
  /** Whether rows with the value are left out, and all others remain. */
  readonly isOut?: boolean;
}

/**
 * Adds a condition to a query over tables, with columns in its result, so that only rows with a value remain. If its
 * column belongs to a table, the condition is added to the WHERE clause; otherwise the query becomes a subquery.
 * Undefined for values that cannot be compared.
 */
export function filterSql(
  text: string,
  wanted: Wanted,
  tables: readonly ListedTable[],
  columns: readonly FieldSchema[],
): string | undefined {
  const path = findPath(columns, wanted.names);
  const select = outline(text);
  if (path === undefined || select === undefined || !isComparable(path, wanted.value))
    return undefined;
  const outside = conditionOn(path, wanted);
  if (select.clauses.has('|>')) return `${body(text)}\n|> where ${outside}`;
  const inner = insideCondition(select, path, wanted, tables);
  const pushed = inner && addCondition(text, inner);
  return pushed ?? `select *\nfrom (\n${body(text)}\n)\nwhere ${outside}`;
}

/** Whether a condition on the result may move into the query: not if a set operator or QUALIFY produces the result. */
function canPush({ clauses }: OutlinedSelect): boolean {
  const others = ['UNION', 'INTERSECT', 'EXCEPT', 'QUALIFY'];
  return clauses.get('FROM') !== undefined && !others.some((key) => clauses.has(key));
}

/** Removes the last semicolon, which a subquery must not have. */
function body(text: string): string {
  const last = validTokens(text).at(-1);
  return (last?.text === ';' ? text.slice(0, last.at) : text).trimEnd();
}

/** Returns the condition on the query's own tables; undefined if the column belongs to none of them. */
function insideCondition(
  select: OutlinedSelect,
  path: RecordPath,
  wanted: Wanted,
  tables: readonly ListedTable[],
): string | undefined {
  const [column = ''] = wanted.names;
  const item = select.items.find(({ name }) => name.toLowerCase() === column.toLowerCase());
  // A column that the SELECT list does not name is a table column.
  const written = item === undefined ? [column] : item.path;
  if (written === undefined) return undefined;
  const ranges = knownRanges(select, tables);
  const found = resolveName(written, ranges);
  if (found === undefined) return undefined;
  const whole = [...found.path, ...path.slice(1)];
  return conditionOn(whole, wanted, readingScope(ranges, found.table));
}

/** `r.path = '/x'`, or `exists (…)` if an array on the path is not unnested yet. */
function conditionOn(
  path: RecordPath,
  { value, isOut = false }: Wanted,
  scope?: ReadingScope,
): string {
  const { expression, unnests } = readRecordPath(path, scope);
  const test = sqlTest(expression, leafField(path), value);
  if (unnests.length > 0) {
    const exists = `exists (select 1 from ${unnests.join(' cross join ')} where ${test})`;
    return isOut ? `not ${exists}` : exists;
  }
  return isOut ? `(${test}) is not true` : test;
}

function sqlTest(expression: string, field: FieldSchema, value: AnswerValue): string {
  if (value === null) return `${expression} is null`;
  const literal = printLiteral(value, field);
  return field.mode === 'REPEATED'
    ? `${literal} in unnest(${expression})`
    : `${expression} = ${literal}`;
}

/** Adds a condition to the WHERE clause of the outermost SELECT. */
export function addCondition(text: string, condition: string): string | undefined {
  const select = outline(text);
  if (select === undefined || !canPush(select)) return undefined;
  const where = select.clauses.get('WHERE');
  if (where !== undefined) {
    const old = text.slice(where.from, where.to);
    const kept = select.hasOr ? `(${old})` : old;
    return `${text.slice(0, where.from)}${kept}\n  and ${condition}${text.slice(where.to)}`;
  }
  const at = select.clauses.get('FROM')?.to ?? text.length;
  return `${text.slice(0, at)}\nwhere ${condition}${text.slice(at)}`;
}

const comparable = new Set(
  'STRING INT64 FLOAT64 NUMERIC BIGNUMERIC BOOL TIMESTAMP DATETIME DATE TIME BYTES'.split(' '),
);

/** Whether rows can be filtered on a field's value. */
export function isComparable(path: RecordPath, value: AnswerValue): boolean {
  const { type } = leafField(path);
  if (pathKey(path) === '' || path.some(({ name }) => name === '')) return false;
  const isNotFinite = type === 'FLOAT64' && typeof value === 'string';
  return comparable.has(type) && typeof value !== 'object'
    ? !isNotFinite
    : value === null && type !== 'STRUCT';
}

/** Prints a value as a literal of its type. */
export function printLiteral(value: AnswerValue, { type }: FieldSchema): string {
  const text = String(value);
  if (type === 'INT64' || type === 'FLOAT64' || type === 'BOOL') return text;
  if (type === 'STRING') return stringText(text);
  if (type === 'TIMESTAMP') return `timestamp_micros(${text})`;
  if (type === 'BYTES') return `from_base64(${stringText(text)})`;
  return `${type.toLowerCase()} ${stringText(text)}`;
}
