import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { EndpointProps } from '../app/app.js';
import { shownSource } from '../app/app-state.js';
import { html } from '../app/html.js';
import type { ListedTable } from '../model/endpoint.js';
import { isOwnSource, sortSources } from '../model/first-page.js';
import { withQuerySource } from '../model/matches.js';
import { timeWindows } from '../model/page-state.js';
import { FieldList } from './field-list.js';
import { Icon } from './icon.js';
import { keyHandler } from './key-handler.js';
import { useNarrow } from './use-narrow.js';

/**
 * Shows the sources with their counts in the time window, and the fields of the chosen one; a sheet on narrow pages.
 */
export function Sidebar(props: EndpointProps): VNode {
  const isNarrow = useNarrow();
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const close = () => {
    if (isOpen) opener.current?.focus();
    setOpen(false);
  };
  const sheet = useRef<HTMLElement>(null);
  // A source or a filter that was chosen runs.
  useEffect(close, [props.state.run.startMs]);
  useEffect(() => sheet.current?.focus(), [isOpen]);
  const contents = html`<${Sources} ...${props} />`;
  if (!isNarrow) return html`<nav class="side" aria-label="Sources and fields">${contents}</nav>`;
  return html`<div class="sheet-bar">
    <button type="button" class="b s" ref=${opener} aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}><${Icon} name="list" />Sources and fields</button>
    ${
      isOpen &&
      html`<div class="scrim" onClick=${close}></div>
      <nav class="side sheet" tabindex="-1" ref=${sheet} aria-label="Sources and fields" onKeyDown=${keyHandler({ Escape: close })}>
        <button type="button" class="b line s" onClick=${close}>Close</button>${contents}
      </nav>`
    }
  </div>`;
}

function Sources({ app, state, endpoint }: EndpointProps): VNode {
  const { page, catalog } = state;
  const chosen = shownSource(state, endpoint);
  const isOwn = (table?: ListedTable) =>
    catalog !== undefined && table !== undefined && isOwnSource(catalog, table.name);
  const counts = catalog === undefined ? [] : sortSources(state.sources, catalog);
  const place = new Map(counts.map(({ name }, index) => [name, index]));
  const findPlace = ({ name }: ListedTable) => place.get(name) ?? counts.length;
  const countRecords = (table: ListedTable) => counts[findPlace(table)]?.records;
  const listed = endpoint.tables
    .filter((table) => table === chosen || table.aliasOf === undefined)
    .toSorted((a, b) => findPlace(a) - findPlace(b));
  // Until the records are counted, all sources are listed.
  const isIn = (table: ListedTable) =>
    table === chosen || counts.length === 0 || countRecords(table);
  const others = listed.filter((table) => !isIn(table));
  const pick = (table: ListedTable) => {
    const lql = withQuerySource(page.language === 'lql' ? page.lql : '', table, endpoint);
    void app.go({ language: 'lql', lql, columns: [] });
  };
  const item = (table: ListedTable, index: number, list: readonly ListedTable[]) => {
    const { name } = table;
    const isBreak = isOwn(list[index - 1]) && !isOwn(table);
    return html`<li key=${name} class=${isBreak ? 'gap' : ''}><button type="button" class="source" aria-current=${table === chosen ? 'true' : undefined}
      onClick=${() => pick(table)}><span class="name">${name}</span><span class="count">${countRecords(table)?.toLocaleString('en')}</span></button></li>`;
  };
  const empty = others.filter((table) => countRecords(table) !== undefined);
  const uncounted = others.filter((table) => countRecords(table) === undefined);
  return html`<div class="side-head"><h2>Sources</h2><span class="hint"><span class="only-wide">records, </span>${page.window === '' ? 'this range' : timeWindows[page.window].title.toLowerCase()}</span></div>
    <ul>
      ${listed.filter(isIn).map(item)}
      <${Fold} title="${empty.length} without records" items=${empty.map(item)} />
      <${Fold} title="${uncounted.length} more" items=${uncounted.map(item)} />
    </ul>
    ${chosen && html`<${FieldList} key=${chosen.name} ...${{ app, state, table: chosen }} />`}`;
}

/** Sources that are listed after a click. */
function Fold({ title, items }: { readonly title: string; readonly items: readonly VNode[] }) {
  const [isOpen, setOpen] = useState(false);
  if (items.length === 0) return null;
  return html`<li><button type="button" class="source fold" aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}>
      <${Icon} name=${isOpen ? 'down' : 'right'} />${title}</button></li>
    ${isOpen && items}`;
}
