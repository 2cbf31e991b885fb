import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { App, PageProps } from '../app/app.js';
import { type DoneRun, type Run, shownEndpoint, timeWithin } from '../app/app-state.js';
import { html } from '../app/html.js';
import { printJson } from '../model/parse-json.js';
import { instantOfRow } from '../model/record-key.js';
import { areNewest } from '../model/sort-rows.js';
import { findTimeRange, printIso } from '../model/time.js';
import { Icon } from './icon.js';
import { Menu, menuItem } from './menu.js';

interface Props extends PageProps {
  readonly run: DoneRun;
  /** Whether the rows are not records, such as counts, so that there are no matches to count over time. */
  readonly hasNoHistogram: boolean;
}

const formats = ['json', 'ndjson', 'csv', 'arrow', 'parquet'] as const;

/** Shows how many of the matches are shown, the duration, and the downloads. */
export function ResultBar({ app, state, run, hasNoHistogram }: Props): VNode {
  const { result } = run;
  const { timeNote } = state;
  const isEmpty = result.rows.length === 0;
  const isCached = ['HIT', 'STALE'].includes(result.cache);
  const copy = (format: string, read: () => string | Promise<string>) =>
    menuItem(format, () => {
      void app.attempt(async () => app.copy(await read(), `Copied as ${format}`));
    });
  const copies = [
    copy('JSON', () => printJson(result.rows, 2)),
    copy('CSV', async () => (await fetchRows(app, run, 'csv')).text()),
  ];
  const downloads = formats.map((format) =>
    menuItem(format.toUpperCase(), () => void app.attempt(() => download(app, run, format))),
  );
  const menu = (word: string, items: readonly VNode[]) =>
    html`<${Menu} label=${html`${word}<${Icon} name="down" />`} title="${word} the rows"><ul>${items}</ul><//>`;
  return html`<div class="result-bar">
    <p class="summary">
      <${Summary} ...${{ state, run }} />
      ${state.run.kind === 'running' ? html`<${Elapsed} startMs=${state.run.startMs} />` : html`<span class="times" title=${result.timing}>${Math.round(result.totalMs).toLocaleString('en')} ms${isCached ? ' · from the cache' : ''}</span>`}
      ${timeNote?.values === run.asked.values && html`<span class="hint">· ${timeNote.text}</span>`}
      ${hasNoHistogram && html`<span class="hint">· no histogram: these rows are not records of one source</span>`}
    </p>
    ${result.isTruncated && html`<${Older} ...${{ app, state, run }} />`}
    <span class="grow"></span>
    ${!isEmpty && menu('Copy', copies)}
    ${!isEmpty && menu('Download', downloads)}
  </div>`;
}

function Summary({ state, run }: Pick<Props, 'state' | 'run'>): VNode {
  const { rows, isTruncated } = run.result;
  const shown = rows.length.toLocaleString('en');
  const total = (state.counted === run.asked && state.histogram?.total) || 0;
  if (total > rows.length) {
    const what = areNewest(rows) ? `Newest ${shown}` : `${shown} rows`;
    return html`<strong>${what}</strong> <span>of ${total.toLocaleString('en')}</span>`;
  }
  return html`<strong>${shown} ${rows.length === 1 ? 'row' : 'rows'}</strong>${isTruncated && html` <span>and more: cut at the endpoint's limit</span>`}`;
}

/** Requests the rows before the last one: the range ends with its time, which other rows may share. */
function Older({ app, state, run }: Omit<Props, 'hasNoHistogram'>): VNode | null {
  const range = findTimeRange(shownEndpoint(state)?.parameters ?? []);
  const last = instantOfRow(run.result.rows.at(-1));
  if (range === undefined || last === undefined || !areNewest(run.result.rows)) return null;
  const go = () => void app.go(timeWithin(state, '', run.body[range.start] ?? '', printIso(last)));
  return html`<button type="button" class="b s link" onClick=${go}>Older ${run.result.rows.length.toLocaleString('en')}</button>`;
}

/** Fetches the rows in a format, as the server prints them. */
function fetchRows(app: App, { asked, body }: DoneRun, format: string): Promise<Blob> {
  return app.api().download(asked.endpoint, body, format);
}

async function download(app: App, run: DoneRun, format: string): Promise<void> {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await fetchRows(app, run, format));
  link.download = `${run.asked.endpoint}.${format}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  app.say(`Downloaded as ${format.toUpperCase()}`);
}

/** Shows the seconds of a run, but only once a delay is noticeable. */
export function Elapsed({ startMs, what = 'Running' }: Pick<Run, 'startMs'> & { what?: string }) {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const read = () => setSeconds((performance.now() - startMs) / 1000);
    const timer = setInterval(read, 100);
    return () => clearInterval(timer);
  }, [startMs]);
  if (seconds < 0.15) return null;
  return html`<span class="hint elapsed">${what}, ${seconds.toFixed(1)} s</span>`;
}
