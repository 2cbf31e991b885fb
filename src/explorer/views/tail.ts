import type { VNode } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { App, EndpointProps } from '../app/app.js';
import { html } from '../app/html.js';
import type { Body } from '../client/api.js';
import { followTail, type Tail, type TailState } from '../client/tail.js';
import type { Row } from '../model/endpoint.js';
import { tailSourceOf } from '../model/tail-source.js';
import { Grid } from './grid.js';
import { RecordView } from './record.js';

/** New records of a source, as they come. */
export function TailView({
  app,
  state,
  endpoint,
  close,
}: EndpointProps & { readonly close: () => void }): VNode {
  const suggested = useMemo(() => tailSourceOf(state.page, endpoint), []);
  const [source, setSource] = useState(suggested.source);
  const [filter, setFilter] = useState(suggested.filter);
  // A new object for each tail, so that its rows begin with none open.
  const [followed, setFollowed] = useState({ source });
  const { tail, start, toggle } = useTail(app);
  const begin = () => {
    setFollowed({ source });
    const { page } = app.store.get();
    const values = app.bodyOf({ ...page, language: 'stored', window: 'custom' });
    start(endpoint.name, { ...values, source, filter });
  };
  const submit = (event: Event) => {
    event.preventDefault();
    begin();
  };
  return html`<section class="results tail" aria-label="Live tail">
    <form class="parameters" onSubmit=${submit} aria-label="What to follow">
      <div class="field">
        <label for="tail-source">Source</label>
        <select id="tail-source" value=${source} onChange=${(event: Event) => setSource((event.target as HTMLSelectElement).value)}>
          ${endpoint.tables.map(({ name }) => html`<option value=${name}>${name}</option>`)}
        </select>
      </div>
      <div class="field grow">
        <label for="tail-filter">Filter in LQL</label>
        <input id="tail-filter" value=${filter} placeholder="m.response.status_code:>=500" spellcheck=${false} autocomplete="off"
          onInput=${(event: Event) => setFilter((event.target as HTMLInputElement).value)} />
      </div>
      <div class="actions end">
        <button type="submit" class="primary">${tail === undefined ? 'Follow' : 'Start again'}</button>
        ${tail !== undefined && tail.status !== 'failed' && html`<button type="button" onClick=${toggle}>${tail.status === 'paused' ? 'Resume' : 'Pause'}</button>`}
        <button type="button" onClick=${close}>Close the tail</button>
      </div>
    </form>
    ${tail && html`<${TailRows} key=${followed} ...${{ app, state, endpoint, tail, source: followed.source }} />`}
  </section>`;
}

/** A tail that ends with the component. */
function useTail(app: App) {
  const [tail, setTail] = useState<TailState | undefined>();
  const running = useRef<Tail | undefined>(undefined);
  useEffect(() => () => running.current?.pause(), []);
  const start = (endpoint: string, query: Body) => {
    running.current?.pause();
    running.current = followTail(
      (signal, lastEventId) => app.api().tail(query, endpoint, { signal, lastEventId }),
      setTail,
    );
  };
  const toggle = () => {
    if (tail?.status === 'paused') running.current?.resume();
    else running.current?.pause();
  };
  return { tail, start, toggle };
}

interface RowsProps extends EndpointProps {
  readonly tail: TailState;
  readonly source: string;
}

const statuses: Readonly<Record<TailState['status'], string>> = {
  connecting: 'Connecting…',
  following: 'Following',
  waiting: 'The connection was lost. Connecting again…',
  paused: 'Paused',
  failed: '',
};

function TailRows({ app, state, endpoint, tail, source }: RowsProps): VNode {
  const [open, setOpen] = useState<Row | undefined>();
  const { status, rows, count, hasGap, message } = tail;
  const fields = endpoint.tables.find(({ name }) => name === source)?.schema.fields ?? [];
  const [first] = rows;
  const columns = useMemo(
    () => fields.filter(({ name }) => first && name in first),
    [fields, first === undefined],
  );
  const { zone } = state;
  return html`<p class="tail-status" role="status">
      <strong>${statuses[status]}</strong>
      ${status === 'failed' ? html`<span class="fault">${message}</span>` : html` ${count} new ${count === 1 ? 'record' : 'records'}`}
      ${hasGap && html`<span class="hint"> More records came than can be shown; some are left out.</span>`}
    </p>
    ${
      first &&
      html`<div class="split">
        <${Grid} ...${{ rows, columns, zone, open }} onOpen=${setOpen} />
        ${open && html`<${RecordView} ...${{ app, zone, columns, row: open, canFilter: false }} close=${() => setOpen(undefined)} />`}
      </div>`
    }`;
}
