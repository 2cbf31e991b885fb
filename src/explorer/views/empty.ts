import type { VNode } from 'preact';
import type { EndpointProps } from '../app/app.js';
import { type DoneRun, timeWithin } from '../app/app-state.js';
import { html } from '../app/html.js';
import { countBySource } from '../model/counts.js';
import { pageMatches, withQuerySource } from '../model/matches.js';
import { type PageState, timeWindows } from '../model/page-state.js';
import { findTimeRange, printIso, printRange } from '../model/time.js';
import { useReading } from './use-reading.js';

/** Shows which time and filters matched no row, and suggests others that do. */
export function Empty(props: EndpointProps & { readonly run: DoneRun }): VNode {
  const { app, state, endpoint, run } = props;
  const { asked, result } = run;
  const { value: ways = [] } = useReading((signal) => findWays(props, asked, signal), []);
  const matches = pageMatches(asked, endpoint);
  const range = findTimeRange(endpoint.parameters);
  const items = ways.map(
    ([title, records, patch]) => html`<li key=${title}>
    <span>${title}</span><span class="count">${Number(records).toLocaleString('en')}</span>
    <button type="button" class="b line" onClick=${() => void app.go(patch)}>Show</button>
  </li>`,
  );
  return html`<div class="empty">
    <h2>No rows</h2>
    <dl>
      ${matches && html`<dt>Source</dt><dd><code>${matches.table.name}</code></dd>`}
      ${range && html`<dt>Time</dt><dd>${printRange(asked, range, state.zone)}</dd>`}
      ${matches && matches.filters !== '' && html`<dt>Filters</dt><dd><code>${matches.filters}</code></dd>`}
    </dl>
    ${result.note && html`<p class="hint">${result.note}</p>`}
    ${ways.length > 0 && html`<ul class="ways" aria-label="Ways to rows">${items}</ul>`}
  </div>`;
}

/** Counts the records without the filters, over all time, and in the hour of the newest record. */
async function findWays(
  { app, state, endpoint }: EndpointProps,
  asked: PageState,
  signal: AbortSignal,
) {
  const matches = pageMatches(asked, endpoint);
  if (matches === undefined) return [];
  const { table, sql } = matches;
  const within = (start = '', end = '') => timeWithin({ ...state, page: asked }, '', start, end);
  const always = within();
  const bare = { language: 'lql', lql: withQuerySource('', table, endpoint) } as const;
  const count = async (patch: Partial<PageState>, counting: string) => {
    const [row] = await app.runner.ask({ ...asked, ...patch }, counting, signal);
    return row ?? {};
  };
  const timed = `select timestamp, max(timestamp) over () as newest from (${sql})`;
  const isNear = 'timestamp > timestamp_sub(newest, interval 1 hour)';
  const matching = `select count(*) as records, countif(${isNear}) as near, max(newest) as newest from (${timed})`;
  const whole = countBySource([table]);
  const [ever, ofTable, ofTableEver] = await Promise.all([
    count(always, matching),
    count({}, whole),
    count(always, whole),
  ]);
  const newest = Number(ever['newest'] ?? 0);
  const start = printIso(newest - timeWindows.hour.ms * 1000);
  const end = printIso(Math.ceil(newest / 1e6) * 1e6);
  const ways = [
    ['The same filters in the hour of the newest match', ever['near'], within(start, end)],
    ['The same filters in all time', ever['records'], always],
    ['The same time without filters', ofTable['records'], bare],
    [
      'All time without filters',
      !ever['records'] && ofTableEver['records'],
      { ...always, ...bare },
    ],
  ] as const;
  return ways.filter(([, records]) => Number(records ?? 0) > 0);
}
