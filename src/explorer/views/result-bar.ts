import type { VNode } from 'preact';
import type { App } from '../app/app.js';
import type { DoneRun } from '../app/app-state.js';
import { html } from '../app/html.js';
import { printCsv } from '../model/csv.js';
import { printJson } from '../model/parse-json.js';

interface Props {
  readonly app: App;
  readonly run: DoneRun;
  /** Whether the next run is under way. */
  readonly isRunning: boolean;
}

const formats = ['json', 'ndjson', 'csv', 'arrow', 'parquet'] as const;

/** How many rows there are, how long they took, and the ways to take them along. */
export function ResultBar({ app, run, isRunning }: Props): VNode {
  const { result, columns } = run;
  const copyJson = () => app.copy(printJson(result.rows, 2), 'Copied as JSON');
  const copyCsv = () => app.copy(printCsv(columns, result.rows), 'Copied as CSV');
  const pick = (event: Event) => {
    const select = event.target as HTMLSelectElement;
    const format = select.value;
    select.value = '';
    if (format !== '') void app.attempt(() => download(app, run, format));
  };
  return html`<div class="result-bar">
    <p class="summary">
      <strong>${result.rows.length.toLocaleString('en')}${result.isTruncated ? '+' : ''} ${result.rows.length === 1 ? 'row' : 'rows'}</strong>
      ${result.isTruncated && html` <span title="There are more rows than the endpoint returns">cut at its limit</span>`}
      <span class="times">${isRunning ? 'Running…' : printTimes(run)}</span>
    </p>
    <span class="space"></span>
    <button type="button" class="small" onClick=${copyJson}>Copy JSON</button>
    <button type="button" class="small" onClick=${copyCsv}>Copy CSV</button>
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
  return [printMs(totalMs), ...steps, cacheStates[cache] ?? ''].filter(Boolean).join(' · ');
}

const cacheStates: Readonly<Record<string, string>> = {
  MISS: 'cached now',
  HIT: 'from the cache',
  STALE: 'from the cache, being renewed',
  BYPASS: 'not cached',
};

function printMs(ms: number): string {
  return ms < 10
    ? `${ms.toFixed(1)} ms`
    : ms < 10_000
      ? `${Math.round(ms)} ms`
      : `${(ms / 1000).toFixed(1)} s`;
}

async function download(app: App, { asked, body }: DoneRun, format: string): Promise<void> {
  const blob = await app.api().download(asked.endpoint, body, format);
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = `${asked.endpoint}.${format}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  app.say(`Downloaded as ${format.toUpperCase()}`);
}
