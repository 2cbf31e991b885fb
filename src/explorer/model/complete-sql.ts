import type { FieldSchema } from '../../types/table-schema.js';
import type { FunctionInfo, ListedTable } from './endpoint.js';
import {
  leafField,
  leafPaths,
  pathKey,
  pathType,
  quoteField,
  readRecordPath,
} from './record-paths.js';
import { type Cte, ctesBefore, outline, type Span, validTokens } from './sql-outline.js';
import {
  isSameName,
  knownRanges,
  type NamedRange,
  rangeFields,
  readingScope,
  resolveName,
} from './sql-scope.js';

/** A suggestion for the text at the cursor. */
export interface Suggestion {
  readonly label: string;
  readonly kind: 'table' | 'column' | 'path' | 'function' | 'keyword';
  /** The text that replaces the word, if it is not the label. */
  readonly insert?: string;
  /** Short text beside the label, such as a type. */
  readonly detail?: string;
  /** A one-sentence description. */
  readonly info?: string;
  /** The joins that the path needs, their offset, and the length of the text after that. */
  readonly joins?: { readonly at: number; readonly after: number; readonly text: string };
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

/** The keywords that may follow SELECT. */
const starters = new Set('distinct case cast not null true false exists interval'.split(' '));

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
  const [first] = known;
  const source = select?.clauses.get('FROM');
  // Before FROM is written, the columns are those of the first table, and accepting one also writes FROM.
  const ofFirst = first && !source ? [{ alias: first.name, table: first, path: [] }] : [];
  const ranges = select && source ? knownRanges(select, known) : ofFirst;
  const columns = [
    ...ranges.flatMap((range) => columnSuggestions(range, word)),
    ...(select?.sources ?? []).flatMap(({ kind, path, alias }) => {
      const own = kind === 'table' ? cteColumns(path.at(-1) ?? '', ctes, tables) : [];
      return columnOptions(own, alias, isQualified(word, alias));
    }),
  ];
  const isFirst = ['SELECT', 'DISTINCT'].includes(
    validTokens(text.slice(0, from)).at(-1)?.key ?? '',
  );
  const words = keywordOptions.filter(({ label }) => !isFirst || starters.has(label));
  const others = word.includes('.') ? [] : [...functions.map(functionOption), ...words];
  if (select === undefined) return { from, options: others };
  const place = source ?? { at, end: Math.max(select.clauses.get('SELECT')?.end ?? 0, at) };
  const line = text.slice(text.lastIndexOf('\n', place.at - 1) + 1);
  const lineBreak = `\n${/^[ \t]*/.exec(line)?.[0] ?? ''}`;
  const lead = ofFirst.map(({ alias }) => `${lineBreak}from ${quoteField(alias)}`).join('');
  const withJoins = ({ unnests = [], ...option }: PathOption): Suggestion => {
    const joins = unnests.map((unnest) => `${lineBreak}cross join ${unnest}`).join('');
    const after = text.length - place.end;
    return { ...option, joins: { at: place.end, after, text: lead + joins } };
  };
  const withFrom = lead === '' ? columns : columns.map(withJoins);
  return { from, options: [...withFrom, ...pathOptions(ranges, word).map(withJoins), ...others] };
}

/** A replacement of a part of a text. */
export interface Edit extends Span {
  readonly insert: string;
}

/** Returns the edits that accept a suggestion. The user may have typed on in the word since it was made. */
export function completionEdits(
  { label, insert = label, joins }: Suggestion,
  word: Span,
  length: number,
): readonly Edit[] {
  const edit = { ...word, insert };
  if (joins === undefined || joins.text === '') return [edit];
  const at = joins.at < word.at ? joins.at : length - joins.after;
  return [edit, { at, end: at, insert: joins.text }];
}

/** Whether the word at an offset comes after FROM or JOIN. */
function expectsTable(text: string, from: number): boolean {
  const [before, last] = validTokens(text.slice(0, from))
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

/** The columns of a table, or the fields of an array's elements, qualified with the array's alias. */
function columnSuggestions(range: NamedRange, word: string): readonly Suggestion[] {
  const isRow = range.path.length === 0;
  const fields = rangeFields(range).filter(
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

/** A suggestion with the unnested arrays that it needs. */
interface PathOption extends Suggestion {
  readonly unnests?: readonly string[];
}

/** Returns the fields of records that are not unnested yet; accepting one also adds the joins. */
function pathOptions(ranges: readonly NamedRange[], word: string): readonly PathOption[] {
  const known = new Set(ranges.map(({ path }) => pathKey(path)));
  const rows = ranges.filter(({ path }) => path.length === 0);
  return rows.flatMap(({ table, alias }) => {
    const lead = isQualified(word, alias) ? `${alias}.` : '';
    const scope = readingScope(ranges, table);
    const paths = leafPaths(table.schema.fields).filter(
      (path) => path.length > 1 && !known.has(pathKey(path.slice(0, -1))),
    );
    return paths.map((path): PathOption => {
      const { expression: insert, unnests } = readRecordPath(path, scope);
      const label = `${lead}${pathKey(path)}`;
      const info = `Adds cross join ${unnests.join(' cross join ')}`;
      const detail = pathType(leafField(path));
      return { label, kind: 'path', insert, detail, unnests, ...(unnests.length > 0 && { info }) };
    });
  });
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

/** A column of a CTE, with its field if it comes from a table, so that its type is known. */
interface CteColumn {
  readonly name: string;
  readonly field?: FieldSchema;
}

/** Returns the columns of a CTE by name, as far as its SELECT list names them. */
function cteColumns(
  name: string,
  ctes: readonly Cte[],
  tables: readonly ListedTable[],
): readonly CteColumn[] {
  const index = ctes.findLastIndex((cte) => isSameName(cte.name, name));
  const cte = ctes[index];
  if (cte === undefined) return [];
  const earlier = ctes.slice(0, index);
  const known = tables.filter((table) => !earlier.some((one) => isSameName(one.name, table.name)));
  const ranges = knownRanges(cte.select, known);
  const rows = ranges.filter(({ path }) => path.length === 0);
  const all = () => [
    ...rows.flatMap(({ table }) =>
      table.schema.fields.map((field) => ({ name: field.name, field })),
    ),
    ...cte.select.sources.flatMap(({ path }) => cteColumns(path.at(-1) ?? '', earlier, tables)),
  ];
  return cte.select.items.flatMap((item): readonly CteColumn[] => {
    if (item.isStar) return all();
    const field = item.path && resolveName(item.path, ranges)?.path.at(-1);
    return item.name === '' ? [] : [{ name: item.name, ...(field && { field }) }];
  });
}
