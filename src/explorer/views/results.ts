import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { EndpointProps, PageProps } from '../app/app.js';
import type { DoneRun } from '../app/app-state.js';
import { html } from '../app/html.js';
import { chartOf } from '../model/chart.js';
import { plainColumns, recordColumns } from '../model/layout.js';
import { findRoles } from '../model/levels.js';
import { matchesOf } from '../model/matches.js';
import { type Sort, sortRows } from '../model/sort-rows.js';
import { Drawer } from './drawer.js';
import { Elapsed } from './elapsed.js';
import { Empty } from './empty.js';
import { Grid } from './grid.js';
import { HistogramView } from './histogram.js';
import { LaterChart } from './later.js';
import { ResultBar } from './result-bar.js';

/** Shows the result of the last run below the histogram of all matches. */
export function Results({ app, state, endpoint }: EndpointProps): VNode {
  const { run, zone, histogram } = state;
  const { rows } = run;
  const isRunning = run.kind === 'running';
  const chart = useMemo(() => rows && chartOf(rows.columns, rows.result.rows), [rows]);
  const isStale = isRunning && rows !== undefined;
  return html`<section class="results ${isStale ? 'stale' : ''}" aria-label="Result" aria-busy=${isRunning}>
    ${isRunning && html`<div class="progress"></div>`}
    ${chart && html`<${LaterChart} ...${{ chart, zone, theme: state.shownTheme, height: 200, label: 'Chart of the rows' }} />`}
    ${!chart && histogram && html`<${HistogramView} ...${{ app, state, histogram }} />`}
    ${!chart && !histogram && html`<${HistogramPlace} ...${{ app, state, endpoint }} />`}
    ${run.kind === 'failed' && !state.faults.some(({ message }) => message === run.message) && html`<p class="fault" role="alert">${run.message}</p>`}
    ${run.kind === 'cancelled' && html`<p class="hint">Cancelled.${rows ? ' These are the rows of the query before.' : ''}</p>`}
    ${rows === undefined && html`<${NoRows} ...${{ app, state }} />`}
    ${rows !== undefined && html`<${Rows} ...${{ app, state, endpoint, run: rows }} />`}
  </section>`;
}

/** Reserves the space of a pending histogram, so that the rows do not move later. */
function HistogramPlace({ state, endpoint }: EndpointProps): VNode | null {
  const { run, counted } = state;
  if (!run.rows || counted || !matchesOf(run.rows.asked, endpoint)) return null;
  return html`<div class="histogram" aria-hidden="true"><div class="histogram-head"></div><div class="plot"></div><div class="axis"></div></div>`;
}

function NoRows({ app, state }: PageProps): VNode | null {
  const { run, page, projects } = state;
  if (run.kind === 'running') return html`<${Elapsed} startMs=${run.startMs} />`;
  if (run.kind !== 'none') return null;
  if (page.values['project'] || projects.length === 0) {
    return html`<p class="hint">Fill in what the endpoint requires, and run the query.</p>`;
  }
  return html`<div class="empty"><h2>Choose a project</h2><ul class="ways">
    ${projects.map(
      (project) => html`<li key=${project}><span>${project}</span><span></span>
        <button type="button" class="b line" onClick=${() => void app.begin({ ...page.values, project })}>Open</button></li>`,
    )}
  </ul></div>`;
}

function Rows({ app, state, endpoint, run }: EndpointProps & { readonly run: DoneRun }): VNode {
  const [sort, setSort] = useState<Sort | undefined>();
  const { zone, opened, page } = state;
  const { result, columns } = run;
  const roles = useMemo(() => findRoles(columns), [columns]);
  const shown = useMemo(
    () =>
      roles
        ? recordColumns({ roles, columns, rows: result.rows, added: page.columns, zone })
        : plainColumns(columns, result.rows, zone),
    [run, page.columns, zone],
  );
  const sorted = useMemo(() => sortRows(result.rows, shown, sort), [result, shown, sort]);
  const close = () => {
    app.open(undefined);
    document.querySelector<HTMLElement>('[role=grid]')?.focus();
  };
  const moveColumn = (key: string, change: number | 'remove') => {
    const others = page.columns.filter((one) => one !== key);
    const at = page.columns.indexOf(key);
    const next = change === 'remove' ? others : others.toSpliced(Math.max(0, at + change), 0, key);
    app.adjust({ columns: next });
  };
  const table = {
    rows: sorted,
    columns: shown,
    roles,
    sort,
    setSort,
    open: opened,
    onOpen: app.open,
    onColumn: moveColumn,
  };
  return html`<${ResultBar} ...${{ app, state, run }} />
    ${result.rows.length === 0 && html`<${Empty} ...${{ app, state, endpoint, note: result.note }} />`}
    ${result.rows.length > 0 && html`<${Grid} key=${run.body} ...${table} />`}
    ${opened && html`<${Drawer} ...${{ app, state, endpoint, row: opened, rows: sorted, columns, close }} />`}`;
}
