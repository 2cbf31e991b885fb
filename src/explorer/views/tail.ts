import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { EndpointProps } from '../app/app.js';
import { pageValues, withoutRange } from '../app/app-state.js';
import { html } from '../app/html.js';
import { positionAfter, showLive } from '../app/live.js';
import { followTail, noTail, type TailState } from '../client/tail.js';
import type { AnswerRow } from '../model/endpoint.js';
import type { LiveQuery } from '../model/live-query.js';
import { HistogramPart } from './histogram.js';
import { Icon } from './icon.js';
import { RowTable } from './row-table.js';

type Props = EndpointProps & LiveQuery;

/**
 * Shows new records of the current source and filters above the rows of the page. Scrolling down or opening a record
 * pauses: the rows stay, and new ones are counted.
 */
export function TailView({ source, filter, ...props }: Props): VNode {
  const { app, state } = props;
  const tail = useTail({ ...props, source, filter });
  const rate = useRate(tail.count);
  const { status, hasGap, message } = tail;
  const { result: { rows = [] } = {}, columns = [] } = state.run.rows ?? {};
  const now = { rows, count: tail.count };
  const [paused, setPaused] = useState<typeof now>();
  const shown = paused ?? now;
  const held = tail.count - shown.count;
  const pause = () => setPaused(shown);
  const toggle = () => {
    if (paused === undefined) return pause();
    setPaused(undefined);
    document.querySelector('[role=grid]')?.scrollTo(0, 0);
  };
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
    <${HistogramPart} ...${props} />
    <div class="result-bar">
      <p class="summary" role="status"><strong>${paused ? 'Paused' : statuses[status]}</strong> ${source}${filter === '' ? '' : html` <code>${filter}</code>`}
        ${status === 'failed' ? html`<span class="fault">${message}</span>` : html`<span>${shown.count.toLocaleString('en')} new ${shown.count === 1 ? 'record' : 'records'}${rate}</span>`}</p>
      <span class="grow"></span>
      ${status !== 'failed' && html`<button type="button" class="b s pause ${paused ? 'wanted' : ''}" onClick=${toggle}><${Icon} name=${paused ? 'play' : 'pause'} />${paused ? 'Resume' : 'Pause'}${held > 0 ? `, ${held.toLocaleString('en')} new` : ''}</button>`}
    </div>
    ${hasGap && html`<p class="hint">More records came than can be shown; some are left out.</p>`}
    <div class="tail-rows" onScrollCapture=${onScroll}>
      ${shown.rows.length === 0 && html`<p class="hint">Waiting for new records…</p>`}
      <${RowTable} ...${{ ...props, rows: shown.rows, columns, onOpen }} />
    </div>
  </section>`;
}

const statuses: Readonly<Record<TailState['status'], string>> = {
  connecting: 'Connecting…',
  following: 'Live',
  waiting: 'The connection was lost. Connecting again…',
  failed: 'Stopped',
};

/** Starts and stops a tail with the component. */
function useTail({ app, state, source, filter }: Omit<Props, 'isOther'>): TailState {
  const [tail, setTail] = useState(noTail);
  useEffect(() => {
    const connection = new AbortController();
    const { asked = state.page, result } = state.run.rows ?? {};
    const values = pageValues(state, withoutRange({ ...state, page: asked }));
    const query = { ...values, source, filter };
    const options = {
      ...positionAfter(result?.rows ?? []),
      open: (signal: AbortSignal, lastEventId: string) =>
        app.api().tail(asked.endpoint, query, signal, lastEventId),
      onChange: setTail,
      show: (rows: readonly AnswerRow[]) => showLive(app.store, rows),
    };
    void followTail(options, connection.signal);
    return () => connection.abort();
  }, []);
  return tail;
}

const rateSeconds = 10;

/** Returns how many records arrived in each of the last seconds. */
function useRate(count: number): string {
  const last = useRef(count);
  last.current = count;
  const [counts, setCounts] = useState<readonly number[]>([count]);
  useEffect(() => {
    const add = () => setCounts((before) => [...before, last.current].slice(-rateSeconds));
    const timer = setInterval(add, 1000);
    return () => clearInterval(timer);
  }, []);
  const rate = (count - (counts[0] ?? 0)) / counts.length;
  return `, ${rate < 10 ? rate.toFixed(1) : Math.round(rate)} a second`;
}
