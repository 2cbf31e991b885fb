import type { ListedEndpoint } from './endpoint.js';
import { lqlText } from './filter-lql.js';
import { pageMatches, readLql, withoutItems } from './matches.js';
import type { PageState } from './page-state.js';
import { pathKey } from './record-paths.js';
import { outline, validTokens } from './sql-outline.js';
import { knownRanges, resolveName } from './sql-scope.js';

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
  const text = page.language === 'sql' ? page.sql : endpoint.sql;
  const filter = conditionsAsLql(text, matches.filters, endpoint);
  return filter === undefined ? { reason: notSimple } : { source, filter, isOther: true };
}

/** Returns the changes that make the rows of a query whole records, which Live goes on with. */
export function liveStart(page: PageState, endpoint: ListedEndpoint): Partial<PageState> {
  const live = liveQuery(page, endpoint);
  if ('reason' in live || !live.isOther) return {};
  return { language: 'lql', lql: `f:${live.source} ${live.filter}`.trim() };
}

/** The fields that LQL reads by the same names. */
const followedKey = /^(?:metadata(?:\.[\p{L}_][\p{L}\p{N}_-]*)+|id|event_message|level|project)$/u;

/** Words of FROM that leave out rows. */
const narrowing = new Set(['ON', 'USING', 'TABLESAMPLE']);

const signs = new Set(['=', '>', '>=', '<', '<=']);

/**
 * Translates conditions of a query that compare fields with values: `r.status_code >= 500` becomes
 * `m.response.status_code:>=500`. Undefined if one does more.
 */
function conditionsAsLql(
  text: string,
  conditions: string,
  { tables }: ListedEndpoint,
): string | undefined {
  const select = outline(text);
  const { from, to } = select?.clauses.get('FROM') ?? { from: 0, to: 0 };
  const sources = validTokens(text.slice(from, to));
  if (sources.some(({ key = '' }) => narrowing.has(key))) return undefined;
  if (conditions === '') return '';
  const ranges = select ? knownRanges(select, tables) : [];
  const all = validTokens(conditions);
  const ands = all.flatMap(({ key }, index) => (key === 'AND' ? [index] : []));
  const filters = [-1, ...ands].map((and, index) => {
    const tokens = all.slice(and + 1, ands[index]);
    const names = tokens.slice(0, -2).map(({ text: one }) => one);
    const [{ text: sign = '' } = {}, value] = tokens.slice(-2);
    const key = pathKey(resolveName(names.join('').split('.'), ranges)?.path ?? []);
    if (!followedKey.test(key) || !signs.has(sign) || value === undefined) return undefined;
    const isText = value.kind === 'string';
    if (isText ? sign !== '=' : !/^(?:\d[\d.]*|true|false)$/i.test(value.text)) return undefined;
    const operand = isText ? lqlText(value.value) : value.text.toLowerCase();
    return `${key.replace(/^metadata\./, 'm.')}:${sign === '=' ? '' : sign}${operand}`;
  });
  return filters.includes(undefined) ? undefined : filters.join(' ');
}
