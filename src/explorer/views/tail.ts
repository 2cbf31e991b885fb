import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { App, EndpointProps } from '../app/app.js';
import { pageValues, withoutRange } from '../app/app-state.js';
import { html } from '../app/html.js';
import { followTail, noTail, type TailState } from '../client/tail.js';
import type { AnswerRow } from '../model/endpoint.js';
import { pageTailSource } from '../model/matches.js';
import { Icon } from './icon.js';
import { RowTable } from './row-table.js';

/**
 * Shows new records of the current source and filters as they arrive. Scrolling down or opening a record pauses the
 * tail.
 */
export function TailView({ app, state, endpoint }: EndpointProps): VNode {
  const { source, filter, note } = useMemo(() => pageTailSource(state.followed, endpoint), []);
  const table = endpoint.tables.find(({ name }) => name === source);
  const { tail, toggle } = useTail(app, source, filter);
  const rate = useRate(tail.count);
  const isPaused = tail.status === 'paused';
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
  const { status, rows, count, hasGap, message } = tail;
  const pause = () => status === 'following' && toggle();
  const onOpen = (row: AnswerRow | undefined) => {
    pause();
    app.open(row);
  };
  const onScroll = ({ target }: Event) => {
    const { role, scrollTop } = target as HTMLElement;
    // The drawer, which scrolls too, is beside the rows.
    if (role === 'grid' && scrollTop > 0) pause();
  };
  return html`<section class="results tail" aria-label="Live tail">
    <div class="result-bar">
      <p class="summary" role="status"><strong>${statuses[status]}</strong> ${source}${filter === '' ? '' : html` <code>${filter}</code>`}
        ${status === 'failed' ? html`<span class="fault">${message}</span>` : html`<span>${count.toLocaleString('en')} new ${count === 1 ? 'record' : 'records'}${rate}</span>`}</p>
      <span class="grow"></span>
      ${status !== 'failed' && html`<button type="button" class="b s" onClick=${toggle}><${Icon} name=${isPaused ? 'play' : 'pause'} />${isPaused ? 'Resume' : 'Pause'}</button>`}
    </div>
    ${note !== '' && html`<p class="hint">${note}</p>`}
    ${hasGap && html`<p class="hint">More records came than can be shown; some are left out.</p>`}
    <div class="tail-rows" onScrollCapture=${onScroll}>
      ${rows.length === 0 && html`<p class="hint">Waiting for new records…</p>`}
      ${table && html`<${RowTable} ...${{ app, state, endpoint, rows, columns: table.schema.fields, onOpen }} />`}
    </div>
  </section>`;
}

const statuses: Readonly<Record<TailState['status'], string>> = {
  connecting: 'Connecting…',
  following: 'Live',
  waiting: 'The connection was lost. Connecting again…',
  paused: 'Paused',
  failed: 'Stopped',
};

/** Starts and stops a tail with the component. */
function useTail(app: App, source: string, filter: string) {
  const [tail, setTail] = useState(noTail);
  const running = useRef<ReturnType<typeof followTail> | undefined>(undefined);
  useEffect(() => {
    const { followed, ...given } = app.store.get();
    const state = { ...given, followed, page: followed };
    const values = pageValues(state, withoutRange(state));
    const query = { ...values, source, filter };
    running.current = followTail(
      (signal, lastEventId) => app.api().tail(followed.endpoint, query, signal, lastEventId),
      setTail,
    );
    return () => running.current?.pause();
  }, []);
  const toggle = () => {
    if (tail.status === 'paused') running.current?.resume();
    else running.current?.pause();
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
