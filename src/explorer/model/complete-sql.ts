import { type CteColumn, cteColumns } from './cte-columns.js';
import type { FunctionInfo, ListedTable } from './endpoint.js';
import {
  leafPaths,
  pathKey,
  pathType,
  quoteField,
  type RecordPath,
  readRecordPath,
} from './record-paths.js';
import { type Cte, ctesBefore, type OutlinedSelect, outline, tokensOf } from './sql-outline.js';
import { fieldsOf, isSameName, type NamedRange, rangesOf, readingScope } from './sql-scope.js';

/** A suggestion for the text at the cursor. */
export interface Suggestion {
  readonly label: string;
  readonly kind: 'table' | 'column' | 'path' | 'function' | 'keyword';
  /** The text that replaces the word, if it is not the label. */
  readonly insert?: string;
  /** A short text beside the label, such as a type. */
  readonly detail?: string;
  /** A sentence about it. */
  readonly info?: string;
  /** The joins that the path needs, and their position. */
  readonly joins?: { readonly at: number; readonly text: string };
}

/** The suggestions for the word at the cursor, which begins at `from`. */
export interface Suggestions {
  readonly from: number;
  readonly options: readonly Suggestion[];
}

/** The words that an endpoint can suggest. */
export interface Vocabulary {
  readonly tables: readonly ListedTable[];
  readonly functions: readonly FunctionInfo[];
}

const keywords =
  `select from where group by order limit having qualify with as and or not in is null like between
  case when then else end distinct cross join left unnest on using desc asc union all except exists cast interval
  true false over partition`.split(/\s+/);

/** Suggests tables after FROM, otherwise columns, record paths, functions and keywords. */
export function completeSql(
  text: string,
  at: number,
  { tables, functions }: Vocabulary,
): Suggestions {
  const word = /[\p{L}_][\p{L}\p{N}_]*(?:\.[\p{L}\p{N}_]*)*$/u.exec(text.slice(0, at))?.[0] ?? '';
  const from = at - word.length;
  const ctes = ctesBefore(text, from);
  const known = tables.filter(({ name }) => !ctes.some((cte) => isSameName(cte.name, name)));
  if (expectsTable(text, from)) return { from, options: tableNames(ctes, known) };
  const select = outline(text, from);
  const ranges = select?.from ? rangesOf(select, known) : rangesOfFirst(known);
  const columns = [
    ...ranges.flatMap((range) => columnsOf(range, word)),
    ...(select?.sources ?? [])
      .filter(({ kind }) => kind === 'table')
      .flatMap(({ path, alias }) => {
        const own = cteColumns(path.at(-1) ?? '', ctes, tables);
        return columnOptions(own, alias, isQualified(word, alias));
      }),
  ];
  const paths = select ? pathsOf(text, select, ranges, word) : [];
  const firstFrom = select !== undefined && !select.from && known[0];
  const others = word.includes('.') ? [] : [...functions.map(functionOption), ...keywordOptions];
  const options = firstFrom ? columns.map((one) => withFrom(one, text, firstFrom)) : columns;
  return { from, options: [...options, ...paths, ...others] };
}

/** Before FROM is written, the columns are those of the first table, and taking one writes it. */
function rangesOfFirst([table]: readonly ListedTable[]): readonly NamedRange[] {
  return table === undefined ? [] : [{ alias: table.name, table, path: [] }];
}

function withFrom(column: Suggestion, text: string, { name }: ListedTable): Suggestion {
  return { ...column, joins: { at: text.length, text: `\nfrom ${quoteField(name)}` } };
}

/** Whether the word at an offset comes after FROM or JOIN. */
function expectsTable(text: string, from: number): boolean {
  const [before, last] = tokensOf(text.slice(0, from))
    .slice(-2)
    .map(({ key }) => key);
  return last === 'JOIN' || (last === 'FROM' && before !== 'DISTINCT');
}

function tableNames(ctes: readonly Cte[], tables: readonly ListedTable[]): readonly Suggestion[] {
  const own = ctes.map(
    ({ name }): Suggestion => ({ label: quoteField(name), kind: 'table', detail: 'CTE' }),
  );
  const known = tables.map(({ name, schema }): Suggestion => {
    return { label: quoteField(name), kind: 'table', detail: `${schema.fields.length} columns` };
  });
  return [...own, ...known, { label: 'unnest', kind: 'keyword', insert: 'unnest(' }];
}

/** The columns of a table, or the fields of an array's elements with its alias. */
function columnsOf(range: NamedRange, word: string): readonly Suggestion[] {
  const isRow = range.path.length === 0;
  const fields = fieldsOf(range).filter(
    ({ type, mode }) => isRow || (type !== 'STRUCT' && mode !== 'REPEATED'),
  );
  const columns = fields.map((field) => ({ name: field.name, field }));
  return columnOptions(columns, range.alias, !isRow || isQualified(word, range.alias));
}

/** Returns the columns, qualified with the alias of their table if needed. */
function columnOptions(
  columns: readonly CteColumn[],
  alias: string,
  isQualified: boolean,
): readonly Suggestion[] {
  const lead = isQualified ? `${quoteField(alias)}.` : '';
  return columns.map(({ name, field }) => ({
    label: `${lead}${quoteField(name)}`,
    kind: 'column',
    detail: field === undefined ? 'column' : pathType(field),
  }));
}

function isQualified(word: string, alias: string): boolean {
  return word.toLowerCase().startsWith(`${alias.toLowerCase()}.`);
}

/** Returns the fields of records that are not unnested yet; accepting one also adds the joins. */
function pathsOf(
  text: string,
  select: OutlinedSelect,
  ranges: readonly NamedRange[],
  word: string,
): readonly Suggestion[] {
  const end = text.length;
  const from = select.from ?? { at: end, end };
  const known = new Set(ranges.map(({ path }) => pathKey(path)));
  return ranges
    .filter(({ path }) => path.length === 0)
    .flatMap(({ table, alias }) => {
      const lead = isQualified(word, alias) ? alias : '';
      const scope = readingScope(ranges, table);
      return leafPaths(table.schema.fields)
        .filter((path) => path.length > 1 && !known.has(pathKey(path.slice(0, -1))))
        .map((path) => pathOption(path, readRecordPath(path, scope), lead))
        .map(({ unnests, ...option }) => ({
          ...option,
          joins: {
            at: from.end,
            text: leadText(select, table) + joinsText(text, from.at, unnests),
          },
        }));
    });
}

function leadText({ from }: OutlinedSelect, { name }: ListedTable): string {
  return from === undefined ? `\nfrom ${quoteField(name)}` : '';
}

function pathOption(
  path: RecordPath,
  { expression, unnests }: ReturnType<typeof readRecordPath>,
  alias: string,
) {
  const key = pathKey(path);
  const leaf = path.at(-1);
  return {
    label: alias === '' ? key : `${alias}.${key}`,
    kind: 'path' as const,
    insert: expression,
    detail: leaf === undefined ? '' : pathType(leaf),
    ...(unnests.length > 0 && { info: `Adds cross join ${unnests.join(' cross join ')}` }),
    unnests,
  };
}

/** Prints the joins, each on its own line with the indent of FROM's line. */
function joinsText(text: string, at: number, unnests: readonly string[]): string {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1);
  const indent = /^[ \t]*/.exec(line)?.[0] ?? '';
  return unnests.map((unnest) => `\n${indent}cross join ${unnest}`).join('');
}

function functionOption({ name, signatures, description }: FunctionInfo): Suggestion {
  const label = name.toLowerCase();
  const [first = ''] = signatures;
  return {
    label,
    kind: 'function',
    insert: `${label}()`,
    detail: first.startsWith(name) ? first.slice(name.length) : first,
    info: [description, ...signatures].filter((text) => text !== '').join('\n'),
  };
}

const keywordOptions = keywords.map((label): Suggestion => ({ label, kind: 'keyword' }));
