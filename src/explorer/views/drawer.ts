import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FieldSchema } from '../../types/table-schema.js';
import type { EndpointProps } from '../app/app.js';
import { html } from '../app/html.js';
import type { Row } from '../model/endpoint.js';
import { findRoles, levelOf } from '../model/levels.js';
import { matchesOf } from '../model/matches.js';
import { printJson } from '../model/parse-json.js';
import { printPlain } from '../model/print-value.js';
import { printMicros } from '../model/time.js';
import { Icon } from './icon.js';
import { RecordTree } from './record-tree.js';
import { Surrounding } from './surrounding.js';
import { useNarrow } from './use-narrow.js';

interface Props extends EndpointProps {
  readonly row: Row;
  /** The rows to step through, in the order of the table. */
  readonly rows: readonly Row[];
  readonly columns: readonly FieldSchema[];
  readonly close: () => void;
}

/** An opened record over the page's full height: its times, message, fields and neighbours. */
export function Drawer(props: Props): VNode {
  const { app, state, endpoint, row, rows, close } = props;
  const box = useRef<HTMLElement>(null);
  const isNarrow = useNarrow();
  const [tab, setTab] = useState<Tab>('Fields');
  const at = rows.indexOf(row);
  const table = matchesOf(state.page, endpoint)?.table;
  // A record that a link opened beside the rows has all the columns of its source.
  const columns = at < 0 && table ? table.schema.fields : props.columns;
  const roles = findRoles(columns);
  const {
    level = 'info',
    word,
    status,
  } = roles ? levelOf(row, roles) : { level: undefined, word: '', status: '' };
  const step = (by: number) => {
    const next = rows[at + by];
    if (next !== undefined) app.open(next);
  };
  useEffect(() => box.current?.focus({ preventScroll: true }), []);
  const onKey = (event: KeyboardEvent) => {
    if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey) return;
    const acts: Readonly<Record<string, () => void>> = {
      Escape: close,
      j: () => step(1),
      k: () => step(-1),
      ArrowDown: () => step(1),
      ArrowUp: () => step(-1),
    };
    acts[event.key]?.();
    if (event.key.startsWith('Arrow')) event.preventDefault();
  };
  const share = () =>
    app.copy(app.link(), 'The link to this record is in the clipboard. It has no token.');
  const message = roles && row[roles.message];
  const canSurround = table !== undefined && row['timestamp'] != null;
  const surrounding =
    canSurround &&
    html`<${Surrounding} key=${app.store.get().page.record} ...${{ app, state, table, row }} />`;
  const tabs: readonly Tab[] =
    isNarrow && canSurround ? ['Fields', 'JSON', 'Surrounding'] : ['Fields', 'JSON'];
  return html`${isNarrow && html`<div class="scrim" onClick=${close}></div>`}
  <aside class="drawer" aria-label="Opened row" tabindex="-1" ref=${box} onKeyDown=${onKey}>
    <div class="drawer-head">
      ${(word || status) && html`<span class="pill ${level}">${[word, status].filter(Boolean).join(' ')}</span>`}
      ${at >= 0 && html`<span class="hint">${(at + 1).toLocaleString('en')} of ${rows.length.toLocaleString('en')}</span>`}
      <button type="button" class="b s" aria-label="Previous row" title="Previous (K)" disabled=${at <= 0} onClick=${() => step(-1)}><${Icon} name="up" /></button>
      <button type="button" class="b s" aria-label="Next row" title="Next (J)" disabled=${at < 0 || at === rows.length - 1} onClick=${() => step(1)}><${Icon} name="down" /></button>
      <span class="grow"></span>
      ${row['timestamp'] != null && html`<button type="button" class="b line s" onClick=${share}><${Icon} name="link" /><span>Copy link<span class="only-wide"> to this record</span></span></button>`}
      <button type="button" class="b s" aria-label="Close the row" title="Close (Esc)" onClick=${close}><${Icon} name="close" /></button>
    </div>
    ${roles && html`<${When} ...${{ app, row }} />`}
    ${
      message != null &&
      html`<div class="message ${level}"><p dir="auto">${printPlain(message)}</p>
      ${endpoint.sandbox && html`<button type="button" class="act" aria-label="Only rows with this message" title="Only this message" onClick=${() => app.filterOn({ names: [roles?.message ?? ''], value: message }, columns)}><${Icon} name="plus" /></button>`}</div>`
    }
    <${Tabs} ...${{ tabs, tab, setTab }} copy=${() => app.copy(printJson(row, 2), 'Copied as JSON')} />
    ${tab === 'JSON' && html`<pre class="json" tabindex="0" aria-label="The row as JSON">${printJson(row, 2)}</pre>`}
    ${tab === 'Fields' && html`<${RecordTree} ...${{ app, state, row, columns, canFilter: endpoint.sandbox, first: [roles?.level, roles?.status] }} />`}
    ${(!isNarrow || tab === 'Surrounding') && surrounding}
  </aside>`;
}

type Tab = 'Fields' | 'JSON' | 'Surrounding';

interface TabsProps {
  readonly tabs: readonly Tab[];
  readonly tab: Tab;
  readonly setTab: (tab: Tab) => void;
  readonly copy: () => void;
}

function Tabs({ tabs, tab, setTab, copy }: TabsProps): VNode {
  return html`<div class="drawer-tabs">
    ${tabs.map((one) => html`<button type="button" key=${one} class="tab" aria-pressed=${one === tab} onClick=${() => setTab(one)}>${one}</button>`)}
    <span class="grow"></span>
    <button type="button" class="b s" onClick=${copy}>Copy JSON</button>
  </div>`;
}

/** The instant in both zones; a click on one asks for the minute around it. */
function When({ app, row }: Pick<Props, 'app' | 'row'>): VNode | null {
  const time = row['timestamp'];
  if (typeof time !== 'number' && typeof time !== 'bigint') return null;
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const ms = Number(time) / 1000;
  return html`<dl class="when">
    <dt>Local</dt><dd>${printMicros(time, 'local', true)} <span class="hint">${own}</span></dd>
    <dt>UTC</dt><dd>${printMicros(time, 'utc', true)} <button type="button" class="b link s" onClick=${() => app.zoomTo(ms - 30_000, ms + 30_000)}>This minute</button></dd>
  </dl>`;
}
