import { parseLql } from '../../compiler/lql/lql.js';
import type { Endpoint } from './endpoint.js';
import type { PageState } from './page-state.js';
import { outline } from './sql-outline.js';

/** What is followed: the records of a source that pass a filter in LQL. */
export interface TailSource {
  readonly source: string;
  readonly filter: string;
  /** What of the query is left out; empty if nothing is. */
  readonly note: string;
}

/** The source and the filter that a query suggests. Conditions in SQL, charts and selected fields are left out. */
export function tailSourceOf({ language, sql, lql }: PageState, endpoint: Endpoint): TailSource {
  const [first] = endpoint.tables;
  const none = { source: first?.name ?? '', filter: '', note: '' };
  if (language === 'lql') return { ...none, ...partsOf(lql) };
  const select = language === 'sql' ? outline(sql) : undefined;
  const read = select?.sources[0]?.path.at(-1);
  const table = endpoint.tables.find(({ name }) => name.toLowerCase() === read?.toLowerCase());
  const note =
    select?.where === undefined
      ? ''
      : 'Live follows filters in LQL; the conditions of the SQL are left out.';
  return table === undefined ? none : { ...none, source: table.name, note };
}

/** Splits `f:name filter`; a chart and selected fields have no meaning for single records. */
function partsOf(lql: string): Partial<TailSource> {
  try {
    const { from, select, chart } = parseLql(lql);
    const source = from === undefined ? {} : { source: from.text };
    return select.length > 0 || chart !== undefined
      ? {
          ...source,
          note: 'Live shows whole records; the chart and the selected fields are left out, with the filters beside them.',
        }
      : { ...source, filter: withoutFrom(lql, from?.at) };
  } catch {
    return {};
  }
}

/** Removes the item that names the source, whose name is at an offset. */
export function withoutFrom(lql: string, at: number | undefined): string {
  if (at === undefined) return lql.trim();
  const before = lql.slice(0, at).replace(/\S+$/, '');
  const after = lql.slice(at).replace(/^\S+/, '');
  return `${before}${after}`.trim();
}
