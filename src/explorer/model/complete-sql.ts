import type { FieldSchema } from '../../types/table-schema.js';
import type { FunctionInfo, ListedTable } from './endpoint.js';
import type { Edit } from './mend.js';
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
  /** The FROM and the joins that it needs, and their offset. */
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
  const known = withoutNames(tables, ctes);
  const keys = validTokens(text.slice(0, from)).map(({ key }) => key);
  const last = keys.at(-1) ?? '';
  if (expectsTable(last, keys.at(-2))) return { from, options: tableNames(ctes, known) };
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
  const isFirst = ['SELECT', 'DISTINCT'].includes(last);
  const words = keywordOptions.filter(({ label }) => !isFirst || starters.has(label));
  const others = word.includes('.') ? [] : [...functions.map(functionOption), ...words];
  if (select === undefined) return { from, options: others };
  const place = source?.to ?? Math.max(select.clauses.get('SELECT')?.to ?? 0, at);
  const line = text.slice(text.lastIndexOf('\n', (source?.from ?? at) - 1) + 1);
  const lineBreak = `\n${/^[ \t]*/.exec(line)?.[0] ?? ''}`;
  const lead = ofFirst.map(({ alias }) => `${lineBreak}from ${quoteField(alias)}`).join('');
  const writeJoins = (unnests: readonly string[]) => {
    const joins = unnests.map((unnest) => `${lineBreak}cross join ${unnest}`).join('');
    return { at: place, text: lead + joins };
  };
  const withFrom = lead ? columns.map((one) => ({ ...one, joins: writeJoins([]) })) : columns;
  return { from, options: [...withFrom, ...pathOptions(ranges, word, writeJoins), ...others] };
}

/** Returns the edits that accept a suggestion for the text to `at`; the user may have typed on in the word. */
export function completionEdits(
  { label, insert = label, joins }: Suggestion,
  word: Span,
  at: number,
): readonly Edit[] {
  const edit = { ...word, insert };
  if (joins === undefined || joins.text === '') return [edit];
  const place = joins.at < word.from ? joins.at : joins.at + word.to - at;
  return [edit, { from: place, to: place, insert: joins.text }];
}

/** Whether a table comes after the last two keywords; `is distinct from` is an operator. */
function expectsTable(last: string, before: string | undefined): boolean {
  return last === 'JOIN' || (last === 'FROM' && before !== 'DISTINCT');
}

function tableNames(ctes: readonly Cte[], tables: readonly ListedTable[]): readonly Suggestion[] {
  const option = (name: string, detail: string): Suggestion => {
    return { label: quoteField(name), kind: 'table', detail };
  };
  return [
    ...ctes.map(({ name }) => option(name, 'CTE')),
    ...tables.map(({ name, schema }) => option(name, `${schema.fields.length} columns`)),
    { label: 'unnest', kind: 'keyword', insert: 'unnest(' },
  ];
}

/** The columns of a table, or the fields of an array's elements, qualified with the array's alias. */
function columnSuggestions(range: NamedRange, word: string): readonly Suggestion[] {
  const isRow = range.path.length === 0;
  const fields = rangeFields(range).filter(
    ({ type, mode }) => isRow || (type !== 'STRUCT' && mode !== 'REPEATED'),
  );
  const columns = fields.map(namedColumn);
  return columnOptions(columns, range.alias, !isRow || isQualified(word, range.alias));
}

/** Returns the columns, qualified with the alias of their table if needed. */
function columnOptions(
  columns: readonly NamedColumn[],
  alias: string,
  isQualified: boolean,
): readonly Suggestion[] {
  const lead = isQualified ? `${quoteField(alias)}.` : '';
  return columns.map(({ name, detail }) => {
    return { label: `${lead}${quoteField(name)}`, kind: 'column', detail };
  });
}

function isQualified(word: string, alias: string): boolean {
  return word.toLowerCase().startsWith(`${alias.toLowerCase()}.`);
}

/** Returns the fields of records that are not unnested yet; accepting one also adds the joins. */
function pathOptions(
  ranges: readonly NamedRange[],
  word: string,
  writeJoins: (unnests: readonly string[]) => NonNullable<Suggestion['joins']>,
): readonly Suggestion[] {
  const known = new Set(ranges.map(({ path }) => pathKey(path)));
  const rows = ranges.filter(({ path }) => path.length === 0);
  return rows.flatMap(({ table, alias }) => {
    const lead = isQualified(word, alias) ? `${alias}.` : '';
    const scope = readingScope(ranges, table);
    const paths = leafPaths(table.schema.fields).filter(
      (path) => path.length > 1 && !known.has(pathKey(path.slice(0, -1))),
    );
    return paths.map((path): Suggestion => {
      const { expression: insert, unnests } = readRecordPath(path, scope);
      const joins = writeJoins(unnests);
      const info = unnests.length > 0 && {
        info: `Adds cross join ${unnests.join(' cross join ')}`,
      };
      const detail = pathType(leafField(path));
      return { label: `${lead}${pathKey(path)}`, kind: 'path', insert, detail, joins, ...info };
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

/** A column with its type, as far as it is known. */
interface NamedColumn {
  readonly name: string;
  readonly detail: string;
}

function namedColumn(field: FieldSchema): NamedColumn {
  return { name: field.name, detail: pathType(field) };
}

/** Returns the columns of a CTE by name, as far as its SELECT list names them. */
function cteColumns(
  name: string,
  ctes: readonly Cte[],
  tables: readonly ListedTable[],
): readonly NamedColumn[] {
  const index = ctes.findLastIndex((cte) => isSameName(cte.name, name));
  const select = ctes[index]?.select;
  if (select === undefined) return [];
  const earlier = ctes.slice(0, index);
  const ranges = knownRanges(select, withoutNames(tables, earlier));
  const rows = ranges.filter(({ path }) => path.length === 0);
  const all = () => [
    ...rows.flatMap(({ table }) => table.schema.fields.map(namedColumn)),
    ...select.sources.flatMap(({ path }) => cteColumns(path.at(-1) ?? '', earlier, tables)),
  ];
  return select.items.flatMap(({ name, path, isStar }): readonly NamedColumn[] => {
    if (isStar) return all();
    const field = path && resolveName(path, ranges)?.path.at(-1);
    return name === '' ? [] : [{ name, detail: field ? pathType(field) : 'column' }];
  });
}

/** The tables without those whose names CTEs have taken. */
function withoutNames(tables: readonly ListedTable[], ctes: readonly Cte[]) {
  return tables.filter(({ name }) => !ctes.some((cte) => isSameName(cte.name, name)));
}
