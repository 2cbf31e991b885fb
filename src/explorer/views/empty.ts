import type { VNode } from 'preact';
import type { EndpointProps } from '../app/app.js';
import { clockMs } from '../app/app-state.js';
import { html } from '../app/html.js';
import { countBySource } from '../model/counts.js';
import type { AnswerRow } from '../model/endpoint.js';
import { pageMatches, withQuerySource } from '../model/matches.js';
import { type PageState, timeWindows } from '../model/page-state.js';
import { findTimeRange, pageStretch, printMicros } from '../model/time.js';
import { useReading } from './use-reading.js';

/** A suggestion that leads to rows, and their number. */
interface Way {
  readonly title: string;
  readonly records: number;
  readonly patch: Partial<PageState>;
}

/** Shows which time and filters matched no row, and suggests others that do. */
export function Empty(props: EndpointProps): VNode {
  const { app, state, endpoint } = props;
  const { asked, result } = state.run.rows ?? {};
  const read = async (signal: AbortSignal) => (asked ? findWays(props, asked, signal) : []);
  const { value: ways = [] } = useReading(read, []);
  const matches = asked && pageMatches(asked, endpoint);
  const way = ({ title, records, patch }: Way) => html`<li key=${title}>
    <span>${title}</span><span class="count">${records.toLocaleString('en')}</span>
    <button type="button" class="b line" onClick=${() => void app.go(patch)}>Show</button>
  </li>`;
  return html`<div class="empty">
    <h2>No rows</h2>
    <dl>
      ${matches && html`<dt>Source</dt><dd><code>${matches.table.name}</code></dd>`}
      <dt>Time</dt><dd>${asked && printStretch(props, asked)}</dd>
      ${matches && matches.filters !== '' && html`<dt>Filters</dt><dd><code>${matches.filters}</code></dd>`}
    </dl>
    ${result?.note && html`<p class="hint">${result.note}</p>`}
    ${ways.length > 0 && html`<ul class="ways" aria-label="Ways to rows">${ways.map(way)}</ul>`}
  </div>`;
}

function printStretch({ state, endpoint }: EndpointProps, page: PageState): string {
  const { fromMs, toMs } = pageStretch(page, endpoint.parameters, clockMs(state));
  const print = (ms: number) => printMicros(Math.round(ms * 1000), state.zone).slice(0, 19);
  if (fromMs === undefined && toMs === undefined) return 'all time';
  const words = page.window === '' ? '' : `${timeWindows[page.window].title.toLowerCase()}, `;
  return `${words}${fromMs === undefined ? 'from the first' : print(fromMs)} to ${toMs === undefined ? 'now' : print(toMs)}`;
}

/** Counts the records without the filters, over all time, and in the hour of the newest record. */
async function findWays(
  { app, endpoint }: EndpointProps,
  asked: PageState,
  signal: AbortSignal,
): Promise<readonly Way[]> {
  const matches = pageMatches(asked, endpoint);
  const range = findTimeRange(endpoint.parameters);
  if (matches === undefined || range === undefined) return [];
  const { table, sql, filters } = matches;
  const within = (start: string, end: string) => ({
    window: '' as const,
    values: { ...asked.values, [range.start]: start, [range.end]: end },
  });
  const always = within('', '');
  const count = async (patch: Partial<PageState>, counting: string) => {
    const [row] = await app.runner.ask({ ...asked, ...patch }, counting, signal);
    return row ?? {};
  };
  const timed = `select timestamp, max(timestamp) over () as newest from (${sql})`;
  const isNear = 'timestamp > timestamp_sub(newest, interval 1 hour)';
  const matching = `select count(*) as records, countif(${isNear}) as near, max(newest) as newest from (${timed})`;
  const countTable = async (patch: Partial<PageState>): Promise<AnswerRow> =>
    filters === '' ? {} : count(patch, countBySource([table]));
  const [ever, ofTable, ofTableEver] = await Promise.all([
    count(always, matching),
    countTable({}),
    countTable(always),
  ]);
  const newestMs = Number(ever['newest'] ?? 0) / 1000;
  const iso = (ms: number) => new Date(ms).toISOString();
  const around = within(
    iso(newestMs - timeWindows.hour.ms),
    iso(Math.ceil(newestMs / 1000) * 1000),
  );
  const bare = { language: 'lql', lql: withQuerySource('', table, endpoint) } as const;
  const ways = [
    {
      title: 'The same filters in the hour of the newest match',
      records: ever['near'],
      patch: around,
    },
    { title: 'The same filters in all time', records: ever['records'], patch: always },
    { title: 'The same time without filters', records: ofTable['records'], patch: bare },
    {
      title: 'All time without filters',
      records: Number(ever['records']) > 0 ? 0 : ofTableEver['records'],
      patch: { ...always, ...bare },
    },
  ];
  const counted = ways.map((way) => ({ ...way, records: Number(way.records ?? 0) }));
  return counted.filter(({ records }) => records > 0);
}
