import { parseLql } from '../../compiler/lql/lql.js';
import type { Endpoint } from './endpoint.js';
import type { PageState } from './page-state.js';
import { outline } from './sql-outline.js';

/** What is followed: the records of a source that pass a filter in LQL. */
export interface TailSource {
  readonly source: string;
  readonly filter: string;
}

/** The source and the filter that a query suggests; the filter of a query in SQL is not taken over. */
export function tailSourceOf({ language, sql, lql }: PageState, endpoint: Endpoint): TailSource {
  const [first] = endpoint.tables;
  const none = { source: first?.name ?? '', filter: '' };
  if (language === 'lql') return { ...none, ...partsOf(lql) };
  const read = language === 'sql' ? outline(sql)?.sources[0]?.path.at(-1) : undefined;
  const table = endpoint.tables.find(({ name }) => name.toLowerCase() === read?.toLowerCase());
  return table === undefined ? none : { ...none, source: table.name };
}

/** Splits `f:name filter`; a chart and selected fields have no meaning for single records. */
function partsOf(lql: string): Partial<TailSource> {
  try {
    const { from, select, chart } = parseLql(lql);
    const filter = select.length > 0 || chart !== undefined ? '' : withoutFrom(lql, from?.at);
    return from === undefined ? { filter } : { source: from.text, filter };
  } catch {
    return {};
  }
}

/** Removes the item that names the source, whose name is at an offset. */
function withoutFrom(lql: string, at: number | undefined): string {
  if (at === undefined) return lql.trim();
  const before = lql.slice(0, at).replace(/\S+$/, '');
  const after = lql.slice(at).replace(/^\S+/, '');
  return `${before}${after}`.trim();
}
