import { parse } from '../../src/compiler/syntax/syntax.js';
import type { Expression } from '../../src/compiler/syntax/tree.js';
import { differenceOfRows } from '../../test/support/compare-rows.js';
import { type Json, type JsonObject, printJson } from '../../test/support/json.js';
import { nameOfProto } from './protocol.js';
import type { Answer, Column, Rows } from './reference.js';
import type { Ours } from './rooms.js';

/** The outcome of a question. */
export type Outcome =
  | 'right'
  | 'refused by both'
  | 'differs'
  | 'refused by us'
  | 'refused by the reference'
  | 'lacking'
  | 'no answer'
  | 'broken'
  | 'clock';

/** The outcome, and in words how the answers differ or what the reference lacks. */
export interface Verdict {
  readonly outcome: Outcome;
  readonly detail: string;
}

/** Errors of the reference implementation for what it does not have. */
const lacks = [
  /^(the reference implementation crashed)/,
  /^(the reference implementation did not answer in time)/,
  /^(Function not found: [^;[]+)/,
  /^(GROUP BY ALL is not supported)/,
  /^(Failed to find column: \$grouping_call)/,
  /^(GROUPING must have an argument that exists)/,
  /^((?:Weekday|ISO) parse elements are not supported yet)/,
  /^(Number of arguments does not match for function JSON_SET)/,
  /^(Format element %J not supported yet)/,
  /^(Generate_Uuid is an optional function)/,
  /^(Invalid format 'BASE32')/,
  /^(Unsupported built-in function: \w+)/,
  // It takes this argument by its position only.
  /^(Named argument `pretty_print` not found)/,
  /^(Unimplemented feature \(\S+)/,
  /(Unimplemented cast from RANGE<\w+> to STRING)/,
  /(Unsupported (?:argument type RANGE|aggregate function: \w+\(RANGE)<\w+>)/,
  /^(Invalid type for MakeValue\w+Setter: RANGE<\w+>)/,
];

/** Compares two answers. */
export function judge(sql: string, ours: Ours, theirs: Answer): Verdict {
  if ('fails' in ours) return { outcome: ours.fails, detail: ours.error };
  if ('error' in theirs) return judgeRefusal(sql, ours, theirs.error);
  if ('error' in ours) return { outcome: 'refused by us', detail: ours.error };
  if (ours.readsClock) return { outcome: 'clock', detail: '' };
  const detail = difference(sql, ours, theirs);
  return { outcome: detail === undefined ? 'right' : 'differs', detail: detail ?? '' };
}

function judgeRefusal(sql: string, ours: Ours, error: string): Verdict {
  const isPipe = sql.includes('|>') && error.startsWith('Syntax error');
  const lack = lacks.map((form) => form.exec(error)?.[1]).find((name) => name !== undefined);
  const name = isPipe ? 'pipe syntax' : lack;
  if ('error' in ours) return { outcome: 'refused by both', detail: error };
  if (name !== undefined) return { outcome: 'lacking', detail: name.trim() };
  return { outcome: 'refused by the reference', detail: error };
}

function difference(sql: string, ours: Rows, theirs: Rows): string | undefined {
  return differenceOfColumns(ours, theirs) ?? differenceOfAllRows(sql, ours, theirs);
}

function differenceOfColumns({ columns: ours }: Rows, { columns: theirs }: Rows) {
  if (ours.length !== theirs.length) return `${ours.length} columns, not ${theirs.length}`;
  for (const [place, { name, type }] of theirs.entries()) {
    const own = ours[place];
    if (own === undefined) return 'a column less';
    if (name !== '' && own.name !== name) return `column ${own.name}, not ${name}`;
    const [ownType, theirType] = [nameOfProto(own.type), nameOfProto(type)];
    if (ownType !== theirType && !theirType.includes('STRUCT'))
      return `${own.name} is ${ownType}, not ${theirType}`;
  }
  return undefined;
}

/**
 * Returns the difference of the rows: as a multiset and, if the query orders them by columns of the answer,
 * in the order of those columns. Rows with equal values in them may come in any order.
 */
function differenceOfAllRows(sql: string, ours: Rows, theirs: Rows): string | undefined {
  const [left, right] = [byPlace(ours), byPlace(theirs)];
  const places = orderedPlaces(sql, ours);
  const keys = (rows: readonly Json[]) => rows.map((row) => pick(row as JsonObject, places));
  return (
    differenceOfRows(left, right, { order: 'any', strict: false }) ??
    differenceOfRows(keys(left), keys(right), { order: 'exact', strict: false })
  );
}

/** The columns of the answer by which the query orders its rows, up to the first other expression. */
function orderedPlaces(sql: string, { columns }: Rows): readonly number[] {
  const { orderBy } = parse(sql);
  const places = orderBy.map(({ value }) => orderColumnIndex(value, columns));
  const end = places.indexOf(-1);
  return end < 0 ? places : places.slice(0, end);
}

/** The place of a column that an expression of ORDER BY names, by number or by name; -1 for another expression. */
function orderColumnIndex(value: Expression, columns: readonly Column[]): number {
  if (value.kind === 'literal' && value.type === 'INT64') return Number(value.value) - 1;
  if (value.kind !== 'path' || value.parts.length !== 1) return -1;
  const name = value.parts[0]?.name.toLowerCase();
  return columns.findIndex((column) => column.name.toLowerCase() === name);
}

function pick(row: JsonObject, places: readonly number[]): JsonObject {
  const values = Object.values(row);
  return Object.fromEntries(places.map((place) => [`column ${place + 1}`, values[place] ?? null]));
}

/** The rows with the columns' places as names: the names themselves are compared elsewhere. */
function byPlace({ rows }: Rows): readonly Json[] {
  return rows.map((row) => {
    const values = Object.values(row as JsonObject);
    return Object.fromEntries(values.map((value, place) => [`column ${place + 1}`, value]));
  });
}

/** An answer in at most `max` characters. */
export function printAnswer(answer: Answer, max = 400): string {
  const text = 'error' in answer ? `error: ${answer.error}` : printJson(answer.rows);
  return text.length <= max ? text : `${text.slice(0, max)}…`;
}
