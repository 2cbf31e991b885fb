import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { App, EndpointProps } from '../app/app.js';
import { pageValues, withoutRange } from '../app/app-state.js';
import { html } from '../app/html.js';
import { beginLive, showLive } from '../app/live.js';
import { followTail, noTail, type TailState } from '../client/tail.js';
import type { AnswerRow, ListedTable } from '../model/endpoint.js';
import type { LiveQuery } from '../model/live-query.js';
import { HistogramPart } from './histogram.js';
import { Icon } from './icon.js';
import { RowTable } from './row-table.js';

interface Props extends EndpointProps, Pick<LiveQuery, 'source' | 'filter'> {
  readonly table: ListedTable;
}

/**
 * Shows new records of the current source and filters above the rows of the page. Scrolling down or opening a record
 * pauses the tail.
 */
export function TailView({ source, filter, table, ...props }: Props): VNode {
  const { app, state } = props;
  const { tail, toggle } = useTail(app, { source, filter, table });
  const rate = useRate(tail.count + tail.held);
  const { status, isPaused, count, held, hasGap, message } = tail;
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isFree =
        event.target === document.body || (event.target as HTMLElement).role === 'grid';
      if (event.key !== ' ' || !isFree) return;
      event.preventDefault();
      toggle();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [toggle]);
  const pause = () => !isPaused && toggle();
  const onOpen = (row: AnswerRow | undefined) => {
    pause();
    app.open(row);
  };
  const onScroll = ({ target }: Event) => {
    const { role, scrollTop } = target as HTMLElement;
    // The drawer, which scrolls too, is beside the rows.
    if (role === 'grid' && scrollTop > 0) pause();
  };
  const { result: { rows = [] } = {}, columns = [] } = state.run.rows ?? {};
  return html`<section class="results tail" aria-label="Live tail">
    <${HistogramPart} ...${props} />
    <div class="result-bar">
      <p class="summary" role="status"><strong>${isPaused ? 'Paused' : statuses[status]}</strong> ${source}${filter === '' ? '' : html` <code>${filter}</code>`}
        ${status === 'failed' ? html`<span class="fault">${message}</span>` : html`<span>${printCount(count)}${rate}</span>`}</p>
      <span class="grow"></span>
      ${status !== 'failed' && html`<button type="button" class="b s ${isPaused ? 'wanted' : ''}" onClick=${toggle}><${Icon} name=${isPaused ? 'play' : 'pause'} />${isPaused ? 'Resume' : 'Pause'}${held > 0 ? `, ${held.toLocaleString('en')} new` : ''}</button>`}
    </div>
    ${hasGap && html`<p class="hint">More records came than can be shown; some are left out.</p>`}
    <div class="tail-rows" onScrollCapture=${onScroll}>
      ${rows.length === 0 && html`<p class="hint">Waiting for new records…</p>`}
      <${RowTable} ...${{ ...props, rows, columns, onOpen }} />
    </div>
  </section>`;
}

function printCount(count: number): string {
  return `${count.toLocaleString('en')} new ${count === 1 ? 'record' : 'records'}`;
}

const statuses: Readonly<Record<TailState['status'], string>> = {
  connecting: 'Connecting…',
  following: 'Live',
  waiting: 'The connection was lost. Connecting again…',
  failed: 'Stopped',
};

/** Starts and stops a tail with the component. */
function useTail(app: App, { source, filter, table }: Pick<Props, 'source' | 'filter' | 'table'>) {
  const [tail, setTail] = useState(noTail);
  const running = useRef<ReturnType<typeof followTail> | undefined>(undefined);
  useEffect(() => {
    const { followed, ...given } = app.store.get();
    const state = { ...given, followed, page: followed };
    const query = { ...pageValues(state, withoutRange(state)), source, filter };
    running.current = followTail({
      ...beginLive(app.store, table),
      open: (signal, lastEventId) => app.api().tail(followed.endpoint, query, signal, lastEventId),
      onChange: setTail,
      show: (rows) => showLive(app.store, rows),
    });
    return () => running.current?.stop();
  }, []);
  const toggle = () => {
    if (!tail.isPaused) return running.current?.pause();
    running.current?.resume();
    document.querySelector('[role=grid]')?.scrollTo(0, 0);
  };
  return { tail, toggle };
}

const rateSeconds = 10;

/** Returns how many records arrived in each of the last seconds. */
function useRate(count: number): string {
  const last = useRef(count);
  last.current = count;
  const [counts, setCounts] = useState<readonly number[]>([]);
  useEffect(() => {
    const timer = setInterval(
      () => setCounts((before) => [...before, last.current].slice(-rateSeconds - 1)),
      1000,
    );
    return () => clearInterval(timer);
  }, []);
  if (counts.length < 2) return '';
  const rate = ((counts.at(-1) ?? 0) - (counts[0] ?? 0)) / (counts.length - 1);
  return `, ${rate < 10 ? rate.toFixed(1) : Math.round(rate)} a second`;
}
