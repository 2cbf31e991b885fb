import type { Token } from '../../compiler/syntax/lex.js';
import type { ListedEndpoint } from './endpoint.js';
import { lqlText } from './filter-lql.js';
import { pageMatches, readLql, withoutItems } from './matches.js';
import type { PageState } from './page-state.js';
import { pathKey } from './record-paths.js';
import { outline, validTokens } from './sql-outline.js';
import { knownRanges, type NamedRange, resolveName } from './sql-scope.js';

/** What Live follows: the records of a source that pass an LQL filter. */
export interface LiveQuery {
  readonly source: string;
  readonly filter: string;
  /** Whether the query must become LQL, so that its rows are whole records. */
  readonly isOther: boolean;
}

const notRecords =
  'Live shows new records of one source. This query counts, groups or joins, or has an error.';
const notSimple =
  'Live follows LQL, and SQL whose conditions compare fields with values, joined by AND.';

/** Returns what Live follows for a page's query, or the reason why it cannot. */
export function liveQuery(
  page: PageState,
  endpoint: ListedEndpoint,
): LiveQuery | { readonly reason: string } {
  const matches = pageMatches(page, endpoint);
  if (matches === undefined) return { reason: notRecords };
  const { name: source } = matches.table;
  if (page.language === 'lql') {
    const { from, select = [] } = readLql(page.lql) ?? {};
    const filter = withoutItems(page.lql, [...(from ? [from] : []), ...select]);
    return { source, filter, isOther: select.length > 0 };
  }
  const isSql = page.language === 'sql';
  const filter = conditionsAsLql(isSql ? page.sql : endpoint.sql, matches.filters, endpoint);
  return filter === undefined ? { reason: notSimple } : { source, filter, isOther: isSql };
}

/** Returns the changes that make the rows of a query whole records, which Live goes on with. */
export function liveStart(page: PageState, endpoint: ListedEndpoint): Partial<PageState> {
  const live = liveQuery(page, endpoint);
  if ('reason' in live || !live.isOther) return {};
  return { language: 'lql', lql: `f:${live.source} ${live.filter}`.trim() };
}

/** Translates conditions of a query that compare fields with values; undefined if one does more. */
function conditionsAsLql(
  text: string,
  conditions: string,
  { tables }: ListedEndpoint,
): string | undefined {
  const select = outline(text);
  const ranges = select ? knownRanges(select, tables) : [];
  const parts: Token[][] = [[]];
  for (const token of validTokens(conditions)) {
    if (token.key === 'AND') parts.push([]);
    else parts.at(-1)?.push(token);
  }
  if (conditions === '') return '';
  const filters = parts.map((part) => comparisonAsLql(part, ranges));
  return filters.includes(undefined) ? undefined : filters.join(' ');
}

const operators: Readonly<Record<string, string>> = {
  '=': '',
  '>': '>',
  '>=': '>=',
  '<': '<',
  '<=': '<=',
};

/** `r.status_code >= 500` -> `m.response.status_code:>=500`. */
function comparisonAsLql(
  tokens: readonly Token[],
  ranges: readonly NamedRange[],
): string | undefined {
  const [names, operator, value] = [tokens.slice(0, -2), tokens.at(-2), tokens.at(-1)];
  const isPath = names.every(({ text, kind }, at) =>
    at % 2 === 1 ? text === '.' : kind === 'word' || kind === 'quoted',
  );
  const words = names.filter((_, at) => at % 2 === 0).map((name) => name.value);
  const path = isPath ? resolveName(words, ranges)?.path : undefined;
  const key = pathKey(path ?? []).replace(/^metadata\./, 'm.');
  const sign = operators[operator?.text ?? ''];
  if (!/^[\p{L}_][\p{L}\p{N}_.-]*$/u.test(key) || key === 'timestamp' || sign === undefined) {
    return undefined;
  }
  if (value?.kind === 'string') return sign === '' ? `${key}:${lqlText(value.value)}` : undefined;
  const isNumber = value?.kind === 'integer' || value?.kind === 'float';
  const isTruth = value?.key === 'TRUE' || value?.key === 'FALSE';
  return isNumber || isTruth ? `${key}:${sign}${value.text.toLowerCase()}` : undefined;
}
