import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { App } from '../app/app.js';
import type { AppState, DoneRun } from '../app/app-state.js';
import { html } from '../app/html.js';
import type { Endpoint, Row } from '../model/endpoint.js';
import { Grid } from './grid.js';
import { ResultBar } from './result-bar.js';

interface Props {
  readonly app: App;
  readonly state: AppState;
  readonly endpoint: Endpoint;
}

/** What the last run gave. */
export function Results({ app, state }: Props): VNode {
  const { run } = state;
  return html`<section class="results" aria-label="Result" aria-busy=${run.kind === 'running'}>
    ${run.kind === 'none' && html`<p class="hint">Fill in the parameters and run the query.</p>`}
    ${run.kind === 'running' && html`<p class="hint running">Running…</p>`}
    ${run.kind === 'cancelled' && html`<p class="hint">Cancelled. The query was stopped.</p>`}
    ${run.kind === 'failed' && html`<p class="fault">${run.message}</p>`}
    ${run.kind === 'done' && html`<${Rows} ...${{ app, state, run }} />`}
  </section>`;
}

interface RowsProps {
  readonly app: App;
  readonly state: AppState;
  readonly run: DoneRun;
}

function Rows({ app, state, run }: RowsProps): VNode {
  const [open, setOpen] = useState<Row | undefined>();
  useEffect(() => setOpen(undefined), [run]);
  const { rows, note } = run.result;
  return html`<${ResultBar} ...${{ app, run }} />
    ${rows.length === 0 && html`<p class="hint">No rows. ${note}</p>`}
    ${
      rows.length > 0 &&
      html`<div class="split">
        <${Grid} key=${run.body} rows=${rows} columns=${run.columns} zone=${state.zone} open=${open} onOpen=${setOpen} />
      </div>`
    }`;
}
