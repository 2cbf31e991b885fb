import type { VNode } from 'preact';
import type { App } from '../app/app.js';
import type { DoneRun } from '../app/app-state.js';
import { html } from '../app/html.js';
import { printCsv } from '../model/csv.js';
import { printJson } from '../model/parse-json.js';

interface Props {
  readonly app: App;
  readonly run: DoneRun;
}

const formats = ['json', 'ndjson', 'csv', 'arrow', 'parquet'] as const;

/** How many rows there are, how long they took, and the ways to take them along. */
export function ResultBar({ app, run }: Props): VNode {
  const { result, columns } = run;
  const names = columns.map(({ name }) => name);
  const copy = (what: string, text: () => string) => () =>
    navigator.clipboard.writeText(text()).then(
      () => app.say(`Copied as ${what}`),
      () => app.say('The browser refused to copy'),
    );
  const pick = (event: Event) => {
    const select = event.target as HTMLSelectElement;
    const format = select.value;
    select.value = '';
    if (format !== '') void download(app, run, format);
  };
  return html`<div class="result-bar">
    <p class="summary">
      <strong>${result.rows.length.toLocaleString('en')}${result.isTruncated ? '+' : ''} ${result.rows.length === 1 ? 'row' : 'rows'}</strong>
      ${result.isTruncated && html` <span title="There are more rows than the endpoint returns">cut at its limit</span>`}
      <span class="times">${printTimes(run)}</span>
    </p>
    <span class="space"></span>
    <button type="button" class="small" onClick=${copy('JSON', () => printJson(result.rows, 2))}>Copy JSON</button>
    <button type="button" class="small" onClick=${copy('CSV', () => printCsv(names, result.rows))}>Copy CSV</button>
    <label class="small-select">
      <span class="visually-hidden">Download as</span>
      <select value="" onChange=${pick}>
        <option value="">Download…</option>
        ${formats.map((format) => html`<option value=${format}>${format.toUpperCase()}</option>`)}
      </select>
    </label>
  </div>`;
}

function printTimes({ result }: DoneRun): string {
  const { timing, cache, totalMs } = result;
  const steps = Object.entries(timing)
    .filter(([, ms]) => ms >= 0.05)
    .map(([name, ms]) => `${name} ${printMs(ms)}`);
  const state = cache === '' || cache === 'BYPASS' ? [] : [`cache ${cache}`];
  return [printMs(totalMs), ...steps, ...state].join(' · ');
}

function printMs(ms: number): string {
  return ms < 10
    ? `${ms.toFixed(1)} ms`
    : ms < 10_000
      ? `${Math.round(ms)} ms`
      : `${(ms / 1000).toFixed(1)} s`;
}

async function download(app: App, { asked, body }: DoneRun, format: string): Promise<void> {
  try {
    const blob = await app.api().download(asked.endpoint, body, format);
    const link = document.createElement('a');
    link.href = URL.createObjectURL(blob);
    link.download = `${asked.endpoint}.${format}`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
    app.say(`Downloaded as ${format.toUpperCase()}`);
  } catch (error) {
    app.say(error instanceof Error ? error.message : String(error));
  }
}
