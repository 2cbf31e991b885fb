import { parseLql } from '../../compiler/lql/lql.js';
import type { ListedEndpoint } from './endpoint.js';
import { sourceOf, withoutFrom } from './matches.js';
import type { PageState } from './page-state.js';
import { outline } from './sql-outline.js';

/** The target of a tail: the records of a source that pass an LQL filter. */
export interface TailSource {
  readonly source: string;
  readonly filter: string;
  /** The parts of the query that are omitted; empty if nothing is. */
  readonly note: string;
}

/** The source and the filter that a query suggests. Conditions in SQL, charts and selected fields are left out. */
export function tailSourceOf(page: PageState, endpoint: ListedEndpoint): TailSource {
  const found = { source: sourceOf(page, endpoint)?.name ?? '', filter: '', note: '' };
  if (page.language === 'lql') return { ...found, ...partsOf(page.lql) };
  const hasWhere = page.language === 'sql' && outline(page.sql)?.where !== undefined;
  const note = 'Live follows filters in LQL; the conditions of the SQL are left out.';
  return hasWhere ? { ...found, note } : found;
}

/** Returns the filter without `f:name`; a chart and selected fields have no meaning for single records. */
function partsOf(lql: string): Partial<TailSource> {
  try {
    const { from, select, chart } = parseLql(lql);
    const isRecords = select.length === 0 && chart === undefined;
    const note =
      'Live shows whole records: the chart, the selected fields and the filters are left out.';
    return isRecords ? { filter: withoutFrom(lql, from?.at) } : { note };
  } catch {
    return {};
  }
}
