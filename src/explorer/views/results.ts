import type { VNode } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { EndpointProps, PageProps } from '../app/app.js';
import type { AppState, DoneRun, FailedRun } from '../app/app-state.js';
import { html } from '../app/html.js';
import { chartOf, histogramOf } from '../model/chart.js';
import type { Row } from '../model/endpoint.js';
import { timeRangeOf, type Zone } from '../model/time.js';
import { Grid } from './grid.js';
import { LaterChart } from './later.js';
import { RecordView } from './record.js';
import { ResultBar } from './result-bar.js';

/** What the last run gave. */
export function Results({ app, state, endpoint }: EndpointProps): VNode {
  const canFilter = endpoint.sandbox;
  const canZoom = timeRangeOf(endpoint.parameters) !== undefined;
  const { run } = state;
  const shown = run.kind === 'running' ? run.last : run;
  return html`<section class="results" aria-label="Result" aria-busy=${run.kind === 'running'}>
    ${run.kind === 'none' && html`<p class="hint">Fill in the parameters and run the query.</p>`}
    ${run.kind === 'running' && run.last === undefined && html`<p class="hint">Running…</p>`}
    ${run.kind === 'cancelled' && html`<p class="hint">Cancelled. The query was stopped.</p>`}
    ${run.kind === 'failed' && html`<${Failure} ...${{ run, state }} />`}
    ${shown?.kind === 'done' && html`<${Rows} ...${{ app, state, run: shown, canFilter, canZoom }} />`}
  </section>`;
}

/** Why a run has no rows; what is wrong with the query is beside it already. */
function Failure({ run, state }: { readonly run: FailedRun; readonly state: AppState }): VNode {
  const isShown = state.faults.some(({ message }) => message === run.message);
  return isShown
    ? html`<p class="hint">The query did not run: it has a fault.</p>`
    : html`<p class="fault">${run.message}</p>`;
}

interface RowsProps extends PageProps {
  readonly run: DoneRun;
  readonly canFilter: boolean;
  readonly canZoom: boolean;
}

function Rows({ app, state, run, canFilter, canZoom }: RowsProps): VNode {
  const [opened, setOpened] = useState<Row | undefined>();
  const { rows, note } = run.result;
  // A new result closes the row: `rows` has none of an earlier run.
  const open = opened !== undefined && rows.includes(opened) ? opened : undefined;
  const { zone } = state;
  const split = useRef<HTMLDivElement>(null);
  const close = () => {
    setOpened(undefined);
    split.current?.querySelector<HTMLElement>('[role=grid]')?.focus();
  };
  const isRunning = state.run.kind === 'running';
  return html`<${ResultBar} ...${{ app, run, isRunning }} />
    ${rows.length === 0 && html`<p class="hint">No rows. ${note}</p>`}
    <${Charts} ...${{ app, run, zone, canZoom }} />
    ${
      rows.length > 0 &&
      html`<div class="split" ref=${split}>
        <${Grid} key=${run.body} rows=${rows} columns=${run.columns} zone=${zone} open=${open} onOpen=${setOpened} />
        ${open && html`<${RecordView} ...${{ app, zone, canFilter, row: open, columns: run.columns, close }} />`}
      </div>`
    }`;
}

/** A chart where the columns suggest one, otherwise when the rows happened. */
function Charts({
  app,
  run,
  zone,
  canZoom,
}: Pick<RowsProps, 'app' | 'run' | 'canZoom'> & { readonly zone: Zone }): VNode | null {
  const { columns } = run;
  const { rows } = run.result;
  const chart = useMemo(() => chartOf(columns, rows), [run]);
  const histogram = useMemo(() => chart ?? histogramOf(columns, rows), [run]);
  if (chart)
    return html`<${LaterChart} ...${{ chart, zone, height: 220, label: 'Chart of the rows' }} />`;
  if (histogram === undefined) return null;
  const zoom = canZoom ? { onSelect: app.zoomTo } : {};
  return html`<${LaterChart} ...${{ chart: histogram, zone, height: 104, label: 'Rows over time', ...zoom }} />`;
}
