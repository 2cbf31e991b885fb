import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { EndpointProps } from '../app/app.js';
import { nowOf } from '../app/app-state.js';
import { html } from '../app/html.js';
import { countBySource } from '../model/counts.js';
import { matchesOf, withQuerySource } from '../model/matches.js';
import { type PageState, timeWindows } from '../model/page-state.js';
import { printMicros, stretchOf, timeRangeOf } from '../model/time.js';

interface Props extends EndpointProps {
  /** Why there are no rows, if the server knows a likely reason. */
  readonly note: string;
}

/** A suggestion that leads to rows, and their number. */
interface Way {
  readonly title: string;
  readonly records: number;
  readonly patch: Partial<PageState>;
}

/** Shows which time and filters matched no row, and suggests others that do. */
export function Empty(props: Props): VNode {
  const { app, state, endpoint, note } = props;
  const [ways, setWays] = useState<readonly Way[]>([]);
  const asked = state.run.rows?.asked;
  useEffect(() => {
    setWays([]);
    if (asked === undefined) return;
    const reading = new AbortController();
    findWays(props, asked, reading.signal).then(setWays, () => undefined);
    return () => reading.abort();
  }, [asked]);
  const matches = asked && matchesOf(asked, endpoint);
  return html`<div class="empty">
    <h2>No rows</h2>
    <dl>
      ${matches && html`<dt>Source</dt><dd><code>${matches.table.name}</code></dd>`}
      <dt>Time</dt><dd>${asked && printStretch(state, asked, endpoint.parameters)}</dd>
      ${matches && matches.filters !== '' && html`<dt>Filters</dt><dd><code>${matches.filters}</code></dd>`}
    </dl>
    ${note !== '' && html`<p class="hint">${note}</p>`}
    ${
      ways.length > 0 &&
      html`<ul class="ways" aria-label="Ways to rows">
      ${ways.map(
        ({
          title,
          records,
          patch,
        }) => html`<li key=${title}><span>${title}</span><span class="count">${records.toLocaleString('en')}</span>
        <button type="button" class="b line" onClick=${() => void app.go(patch)}>Show</button></li>`,
      )}
    </ul>`
    }
  </div>`;
}

function printStretch(
  state: Props['state'],
  page: PageState,
  parameters: Props['endpoint']['parameters'],
): string {
  const { fromMs, toMs } = stretchOf(page, parameters, nowOf(state));
  const print = (ms: number) => printMicros(Math.round(ms * 1000), state.zone).slice(0, 19);
  if (fromMs === undefined && toMs === undefined) return 'all time';
  const words = page.window === '' ? '' : `${timeWindows[page.window].title.toLowerCase()}, `;
  return `${words}${fromMs === undefined ? 'from the first' : print(fromMs)} to ${toMs === undefined ? 'now' : print(toMs)}`;
}

/** Counts the records without the filters, over all time, and in the hour of the newest record. */
async function findWays(
  { app, endpoint }: Props,
  asked: PageState,
  signal: AbortSignal,
): Promise<readonly Way[]> {
  const matches = matchesOf(asked, endpoint);
  const range = timeRangeOf(endpoint.parameters);
  if (matches === undefined || range === undefined) return [];
  const { table } = matches;
  const bare = withQuerySource('', table, endpoint);
  const unbounded = {
    window: '' as const,
    values: { ...asked.values, [range.start]: '', [range.end]: '' },
  };
  const count = async (page: PageState, sql: string) => {
    const [row] = await app.runner.ask(page, sql, signal);
    return row === undefined ? 0 : Number(row['records']);
  };
  const all = countBySource([table]);
  const timed = `select timestamp, max(timestamp) over () as newest from (${matches.sql})`;
  const isNear = 'timestamp > timestamp_sub(newest, interval 1 hour)';
  const matching = `select count(*) as records, countif(${isNear}) as near, max(newest) as newest from (${timed})`;
  const [withoutFilters, everMatching] = await Promise.all([
    count(asked, all),
    app.runner.ask({ ...asked, ...unbounded }, matching, signal),
  ]);
  const ever = Number(everMatching[0]?.['records'] ?? 0);
  const newestMs = Number(everMatching[0]?.['newest'] ?? 0) / 1000;
  const iso = (ms: number) => new Date(ms).toISOString();
  const around = {
    [range.start]: iso(newestMs - timeWindows.hour.ms),
    [range.end]: iso(Math.ceil(newestMs / 1000) * 1000),
  };
  const hasFilters = matches.filters !== '';
  const inAll = hasFilters && ever === 0 ? await count({ ...asked, ...unbounded }, all) : 0;
  const ways: readonly Way[] = [
    {
      title: 'The same filters in the hour of the newest match',
      records: Number(everMatching[0]?.['near'] ?? 0),
      patch: { window: '', values: { ...asked.values, ...around } },
    },
    { title: 'The same filters in all time', records: ever, patch: unbounded },
    {
      title: 'The same time without filters',
      records: hasFilters ? withoutFilters : 0,
      patch: { language: 'lql', lql: bare },
    },
    {
      title: 'All time without filters',
      records: inAll,
      patch: { ...unbounded, language: 'lql', lql: bare },
    },
  ];
  return ways.filter(({ records }) => records > 0);
}
