import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FieldSchema } from '../../types/table-schema.js';
import type { EndpointProps } from '../app/app.js';
import { html } from '../app/html.js';
import type { AnswerRow } from '../model/endpoint.js';
import { findRoles, type Roles, recordLevel } from '../model/levels.js';
import { pageSource } from '../model/matches.js';
import { printJson } from '../model/parse-json.js';
import { printPlain } from '../model/print-value.js';
import { instantOfRow, keyOfRow } from '../model/record-key.js';
import { printMicros } from '../model/time.js';
import { FilterButtons } from './filter-buttons.js';
import { Icon } from './icon.js';
import { keyHandler } from './key-handler.js';
import { RecordTree } from './record-tree.js';
import { Surrounding } from './surrounding.js';
import { useNarrow } from './use-narrow.js';

type Tab = 'Fields' | 'JSON' | 'Surrounding';

interface Props extends EndpointProps {
  readonly row: AnswerRow;
  /** The rows to step through, in the order of the table. */
  readonly rows: readonly AnswerRow[];
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
  const table = pageSource(state.page, endpoint);
  // If a link opened a record that is not among the rows, show all columns of its source.
  const columns = at < 0 && table ? table.schema.fields : props.columns;
  const roles = findRoles(columns);
  const step = (by: number) => {
    const next = rows[at + by];
    if (next !== undefined) app.open(next);
  };
  // A click on a line around the record removes that line, and with it the focus.
  useEffect(() => {
    const hasFocus = box.current?.contains(document.activeElement) === true;
    if (!hasFocus) box.current?.focus({ preventScroll: true });
  }, [row]);
  const [next, previous] = [() => step(1), () => step(-1)];
  const keys = { Escape: close, j: next, k: previous, ArrowDown: next, ArrowUp: previous };
  const around = instantOfRow(row) === undefined ? undefined : table;
  const tabs: readonly Tab[] = [
    'Fields',
    'JSON',
    ...(isNarrow && around ? ['Surrounding' as const] : []),
  ];
  const tree = { app, state, row, columns, canFilter: endpoint.sandbox, roles };
  return html`${isNarrow && html`<div class="scrim" onClick=${close}></div>`}
  <aside class="drawer" aria-label="Opened row" tabindex="-1" ref=${box} onKeyDown=${keyHandler(keys, isScroll)}>
    <${DrawerHead} ...${{ ...props, roles, at, step }} />
    ${roles && html`<${When} ...${props} /><${Message} ...${{ ...props, roles, columns }} />`}
    <div class="drawer-tabs">
      ${tabs.map((one) => html`<button type="button" key=${one} class="tab" aria-pressed=${one === tab} onClick=${() => setTab(one)}>${one}</button>`)}
      <span class="grow"></span>
      <button type="button" class="b s" onClick=${() => app.copy(printJson(row, 2), 'Copied as JSON')}>Copy JSON</button>
    </div>
    ${tab === 'JSON' && html`<pre class="json" tabindex="0" aria-label="The row as JSON">${printJson(row, 2)}</pre>`}
    ${tab === 'Fields' && html`<${RecordTree} ...${tree} />`}
    ${around && (!isNarrow || tab === 'Surrounding') && html`<${Surrounding} key=${keyOfRow(row)} ...${{ app, state, table: around, row }} />`}
  </aside>`;
}

/** Whether an arrow scrolls the focused element within the drawer. */
function isScroll({ key, target, currentTarget }: KeyboardEvent): boolean {
  return key.startsWith('Arrow') && target !== currentTarget;
}

interface HeadProps extends Props {
  readonly roles: Roles | undefined;
  /** The index of the row among the rows; -1 if it is not one of them. */
  readonly at: number;
  readonly step: (by: number) => void;
}

function DrawerHead({ app, row, rows, close, roles, at, step }: HeadProps): VNode {
  const shown = roles && recordLevel(row, roles);
  const words = [shown?.word, shown?.status].filter(Boolean).join(' ');
  const share = () =>
    app.copy(app.link(), 'The link to this record is in the clipboard. It has no token.');
  return html`<div class="drawer-head">
    ${words !== '' && html`<span class="pill ${shown?.level ?? ''}">${words}</span>`}
    ${at >= 0 && html`<span class="hint">${(at + 1).toLocaleString('en')} of ${rows.length.toLocaleString('en')}</span>`}
    <button type="button" class="b s" aria-label="Previous row" title="Previous (K)" disabled=${at <= 0} onClick=${() => step(-1)}><${Icon} name="up" /></button>
    <button type="button" class="b s" aria-label="Next row" title="Next (J)" disabled=${at < 0 || at === rows.length - 1} onClick=${() => step(1)}><${Icon} name="down" /></button>
    <span class="grow"></span>
    ${keyOfRow(row) !== '' && html`<button type="button" class="b line s" onClick=${share}><${Icon} name="link" /><span>Copy link<span class="only-wide"> to this record</span></span></button>`}
    <button type="button" class="b s" aria-label="Close the row" title="Close (Esc)" onClick=${close}><${Icon} name="close" /></button>
  </div>`;
}

function Message({ app, endpoint, row, roles, columns }: Props & { readonly roles: Roles }) {
  const message = row[roles.message] ?? null;
  if (message === null) return null;
  const filter = (isOut: boolean) =>
    app.filterOn({ names: [roles.message], value: message, isOut }, columns);
  return html`<div class="message ${recordLevel(row, roles).level ?? ''}"><p dir="auto">${printPlain(message)}</p>
    ${endpoint.sandbox && html`<${FilterButtons} label="this message" filter=${filter} />`}
  </div>`;
}

/** Shows the time in both zones; a click requests the minute around it. */
function When({ app, row }: Props): VNode | null {
  const time = instantOfRow(row);
  if (time === undefined) return null;
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const ms = Number(time) / 1000;
  return html`<dl class="when">
    <dt>Local</dt><dd>${printMicros(time, 'local', true)} <span class="hint">${own}</span></dd>
    <dt>UTC</dt><dd>${printMicros(time, 'utc', true)} <button type="button" class="b link s" onClick=${() => app.zoomTo(ms - 30_000, ms + 30_000)}>The minute around it</button></dd>
  </dl>`;
}
