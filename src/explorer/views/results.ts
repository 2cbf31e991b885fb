import type { VNode } from 'preact';
import { useMemo } from 'preact/hooks';
import type { EndpointProps, PageProps } from '../app/app.js';
import { html } from '../app/html.js';
import { timeChart } from '../model/chart.js';
import { noteOnProjects } from '../model/first-page.js';
import { pageMatches } from '../model/matches.js';
import { Empty } from './empty.js';
import { HistogramPart } from './histogram.js';
import { LaterChart } from './later.js';
import { Elapsed, ResultBar } from './result-bar.js';
import { RowTable } from './row-table.js';

/** Shows the result of the last run below the histogram of all matches. */
export function Results({ app, state, endpoint }: EndpointProps): VNode {
  const { run, zone } = state;
  const { rows } = run;
  const isRunning = run.kind === 'running';
  const chart = useMemo(() => rows && timeChart(rows.columns, rows.result.rows), [rows]);
  const isStale = isRunning && rows !== undefined;
  const matches = useMemo(() => rows && pageMatches(rows.asked, endpoint), [rows, endpoint]);
  return html`<section class="results ${isStale ? 'stale' : ''}" aria-label="Result" aria-busy=${isRunning}>
    ${isRunning && html`<div class="progress"></div>`}
    ${chart && html`<${LaterChart} ...${{ chart, zone, theme: state.shownTheme, height: 200, label: 'Chart of the rows' }} />`}
    ${chart && rows?.result.isTruncated && html`<p class="hint">The chart shows ${rows.result.rows.length.toLocaleString('en')} rows; the others were cut.</p>`}
    ${!chart && html`<${HistogramPart} ...${{ app, state, endpoint }} />`}
    ${run.kind === 'failed' && !state.faults.some(({ message }) => message === run.message) && html`<p class="fault" role="alert">${run.message}</p>`}
    ${run.kind === 'cancelled' && html`<p class="hint">Cancelled.${rows ? ' These are the rows of the query before.' : ''}</p>`}
    ${rows === undefined && html`<${NoRows} ...${{ app, state }} />`}
    ${
      rows !== undefined &&
      html`<${ResultBar} ...${{ app, state, run: rows, hasNoHistogram: !chart && !matches }} />
      ${rows.result.rows.length === 0 && run.kind !== 'failed' && html`<${Empty} key=${rows.body} ...${{ app, state, endpoint, run: rows }} />`}
      <${RowTable} ...${{ app, state, endpoint, rows: rows.result.rows, columns: rows.columns, onOpen: app.open, query: rows.body }} />`
    }
  </section>`;
}

function NoRows({ app, state }: PageProps): VNode | null {
  const { run, page, projects = [] } = state;
  const note = noteOnProjects(projects, 'in the menu “Project”');
  if (run.kind === 'running')
    return html`<p class="hint"><${Elapsed} what="Reading the newest records" startMs=${run.startMs} /></p>`;
  if (run.kind !== 'none') return null;
  if (page.values['project'] || projects.length === 0) {
    return html`<p class="hint">Fill in what the endpoint requires, and run the query.</p>`;
  }
  return html`<div class="empty"><h2>Choose a project</h2><ul class="ways">
    ${projects.map(
      (project) => html`<li key=${project}><span>${project}</span><span></span>
        <button type="button" class="b line" onClick=${() => void app.begin({ ...page.values, project })}>Open</button></li>`,
    )}
  </ul>${note && html`<p class="hint">${note}</p>`}</div>`;
}
