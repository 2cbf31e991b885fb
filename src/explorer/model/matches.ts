import { parseLql } from '../../compiler/lql/lql.js';
import type { LqlScope } from '../../compiler/lql/lql-scope.js';
import { lqlToTree } from '../../compiler/lql/lql-to-tree.js';
import type { Lql, LqlFilter, LqlSelect } from '../../compiler/lql/lql-tree.js';
import { printGoogleSql } from '../../compiler/syntax/print-googlesql.js';
import type { Query } from '../../compiler/syntax/tree.js';
import type { FieldSchema } from '../../types/table-schema.js';
import { arrayType, structType, type Type } from '../../types/types.js';
import type { ListedEndpoint, ListedTable } from './endpoint.js';
import type { PageState } from './page-state.js';
import { findPath, quoteField } from './record-paths.js';
import { outline } from './sql-outline.js';
import { isSameName } from './sql-scope.js';

/** The records of one source that a query reads, whatever columns it selects. */
export interface Matches {
  readonly table: ListedTable;
  /** A SELECT of all their columns, without ORDER BY and LIMIT. */
  readonly sql: string;
  /** The conditions on the records, as the query writes them; empty without any. */
  readonly filters: string;
}

/** Returns the records of a page's query; undefined if its rows are not records, or if it has a fault. */
export function pageMatches(
  { language, lql, sql }: PageState,
  endpoint: ListedEndpoint,
): Matches | undefined {
  if (language === 'lql') return matchesOfLql(lql, endpoint);
  if (language === 'sql') return matchesOfSql(sql, endpoint, others);
  // Its last SELECT reads CTEs, which are the tables of callers' queries.
  return matchesOfSql(endpoint.sql, endpoint, others.slice(1));
}

/** The source that a page's query reads first. */
export function pageSource(
  { language, lql, sql }: PageState,
  endpoint: ListedEndpoint,
): ListedTable | undefined {
  if (language === 'lql') {
    const parsed = readLql(lql);
    return parsed && lqlTable(parsed, endpoint);
  }
  return tableOfSql(language === 'sql' ? sql : endpoint.sql, endpoint);
}

function tableOfSql(text: string, { tables }: ListedEndpoint): ListedTable | undefined {
  const read = outline(text)?.sources[0]?.path.at(-1);
  return tables.find(({ name }) => isSameName(name, read ?? ''));
}

function matchesOfLql(text: string, endpoint: ListedEndpoint): Matches | undefined {
  const lql = readLql(text);
  const table = lql && lqlTable(lql, endpoint);
  if (lql === undefined || table === undefined || lql.chart !== undefined) return undefined;
  // A star omits columns that no record has.
  const select = table.schema.fields.map(({ name }): LqlSelect => {
    return { kind: 'select', path: { parts: [{ text: name, at: 0 }], at: 0 }, at: 0 };
  });
  const tree = lqlTree({ ...lql, select }, endpoint);
  if (tree === undefined) return undefined;
  const filters = withoutItems(text, lql.from ? [lql.from] : []);
  return { table, sql: printGoogleSql({ ...tree, orderBy: [] }), filters };
}

/** Clauses of queries whose rows are not records of a table. */
const others = 'WITH GROUP HAVING QUALIFY UNION INTERSECT EXCEPT WINDOW |>'.split(' ');

/** Returns the matches of a query that selects rows of one table, not groups. */
function matchesOfSql(
  text: string,
  endpoint: ListedEndpoint,
  refused: readonly string[],
): Matches | undefined {
  const select = outline(text);
  if (select === undefined) return undefined;
  const [first, ...rest] = select.sources;
  const table = tableOfSql(text, endpoint);
  const isPlain = rest.every(({ kind }) => kind === 'unnest') && first?.kind === 'table';
  const from = select.clauses.get('FROM');
  if (from === undefined || table === undefined || !isPlain) return undefined;
  const isRefused = refused.some((key) => select.clauses.has(key)) || select.isDistinct;
  // An item without the name of a column or field may count the rows.
  const hasColumn = select.items.some(({ isStar, path }) => isStar || path !== undefined);
  if (isRefused || !hasColumn) return undefined;
  const where = select.clauses.get('WHERE');
  const filters = where === undefined ? '' : text.slice(where.from, where.to).trim();
  const alias = quoteField(first?.alias ?? table.name);
  const columns = table.schema.fields.map(({ name }) => `${alias}.${quoteField(name)}`);
  const sql = `select ${columns.join(', ')}\nfrom ${text.slice(from.from, from.to)}`;
  return { table, filters, sql: filters === '' ? sql : `${sql}\nwhere ${filters}` };
}

/** An LQL query as SQL, without the backticks and aliases that it does not need; undefined if it has a fault. */
export function lqlAsSql(text: string, endpoint: ListedEndpoint): string | undefined {
  const lql = readLql(text);
  const tree = lql && lqlTree(lql, endpoint);
  const table = lql && lqlTable(lql, endpoint);
  return tree && printGoogleSql(simplify(tree, table?.name));
}

/** Changes an LQL query to read another source. Its filters stay if that source has all fields that they read. */
export function withQuerySource(
  text: string,
  table: ListedTable,
  endpoint: ListedEndpoint,
): string {
  const from = `f:${table.name}`;
  const lql = readLql(text);
  if (lql === undefined || lql.chart !== undefined || lql.select.length > 0) return from;
  const isKnown = (filter: LqlFilter) => {
    const names = filter.kind === 'field' ? filter.path.parts.map((part) => part.text) : undefined;
    return names === undefined || findPath(table.schema.fields, names) !== undefined;
  };
  if (!lql.filters.every(isKnown)) return from;
  const wanted = `${from} ${withoutItems(text, lql.from ? [lql.from] : [])}`.trim();
  const kept = readLql(wanted);
  return kept && lqlTree(kept, endpoint) ? wanted : from;
}

/** Removes items, such as the one that names the source, from an LQL query. */
export function withoutItems(lql: string, items: readonly { readonly at: number }[]): string {
  const places = items.map(({ at }) => at).toSorted((a, b) => b - a);
  const kept = places.reduce((text, at) => {
    const before = text.slice(0, at).replace(/\S+$/, '');
    return `${before}${text.slice(at).replace(/^\S+/, '')}`;
  }, lql);
  return kept.trim();
}

/** Parses LQL; undefined if it has a fault. */
export function readLql(text: string): Lql | undefined {
  try {
    return parseLql(text);
  } catch {
    return undefined;
  }
}

function lqlTree(lql: Lql, endpoint: ListedEndpoint): Query | undefined {
  const tables = endpoint.tables.map(({ name, schema }) => ({
    name,
    columns: schema.fields.map((field) => ({ name: field.name, type: schemaType(field) })),
  }));
  const scope: LqlScope = { tables, defaultTable: defaultTable(endpoint)?.name };
  try {
    return lqlToTree(lql, scope);
  } catch {
    return undefined;
  }
}

function lqlTable({ from }: Lql, endpoint: ListedEndpoint): ListedTable | undefined {
  if (from === undefined) return defaultTable(endpoint);
  return endpoint.tables.find(({ name }) => isSameName(name, from.text));
}

/** The table that the stored query's last SELECT reads. */
function defaultTable(endpoint: ListedEndpoint): ListedTable | undefined {
  return tableOfSql(endpoint.sql, endpoint) ?? endpoint.tables[0];
}

function schemaType({ type, mode, fields = [] }: FieldSchema): Type {
  const inner = fields.map((field) => ({ name: field.name, type: schemaType(field) }));
  const element: Type = type === 'STRUCT' ? structType(inner) : { kind: type };
  return mode === 'REPEATED' ? arrayType(element) : element;
}

/** Removes backticks around plain names, table names before columns, and aliases that repeat a column's name. */
function simplify(tree: Query, table: string | undefined): Query {
  return JSON.parse(JSON.stringify(tree), (_key, node) => {
    const { name, quoted, kind, parts = [], alias, value } = node ?? {};
    if (name !== undefined && quoted) return { ...node, quoted: quoteField(name) !== name };
    const isColumn = kind === 'path' && parts.length > 1 && parts[0].name === table;
    if (isColumn) return { ...node, parts: parts.slice(1) };
    const repeats = kind === 'item' && alias?.name === value?.parts?.at(-1)?.name;
    return repeats ? { ...node, alias: undefined } : node;
  });
}
