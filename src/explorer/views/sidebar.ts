import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { EndpointProps } from '../app/app.js';
import { html } from '../app/html.js';
import { isOwnSource, type SourceCount, sortSources } from '../model/first-page.js';
import { sourceOf, withQuerySource } from '../model/matches.js';
import { timeWindows } from '../model/page-state.js';
import { FieldList } from './field-list.js';
import { Icon } from './icon.js';
import { useNarrow } from './use-narrow.js';

/** Shows the sources with their counts in the time window, and the fields of the chosen one; a sheet on narrow pages. */
export function Sidebar(props: EndpointProps): VNode {
  const isNarrow = useNarrow();
  const [isOpen, setOpen] = useState(false);
  const contents = html`<${Sources} ...${{ ...props, onPick: () => setOpen(false) }} />`;
  if (!isNarrow) return html`<nav class="side" aria-label="Sources and fields">${contents}</nav>`;
  const close = (event: KeyboardEvent) => event.key === 'Escape' && setOpen(false);
  return html`<div class="sheet-bar">
    <button type="button" class="b s" aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}><${Icon} name="list" />Sources and fields</button>
    ${
      isOpen &&
      html`<div class="scrim" onClick=${() => setOpen(false)}></div>
      <nav class="side sheet" aria-label="Sources and fields" onKeyDown=${close}>
        <button type="button" class="b line s" onClick=${() => setOpen(false)}>Close</button>${contents}
      </nav>`
    }
  </div>`;
}

function Sources({
  app,
  state,
  endpoint,
  onPick,
}: EndpointProps & { readonly onPick: () => void }): VNode {
  const [showsEmpty, setShowsEmpty] = useState(false);
  const { page, sources, catalog } = state;
  const chosen = sourceOf(page, endpoint)?.name;
  const counted = catalog === undefined ? [] : sortSources(sources, catalog);
  const isAlias = (name: string) => endpoint.tables.some((one) => one.name === name && one.aliasOf);
  const isCounted = (name: string) => counted.some((one) => one.name === name);
  const others = endpoint.tables.filter(({ name }) => !isCounted(name));
  const all = [...counted, ...others.map(({ name }) => unknown(name))];
  const names = all.filter(({ name }) => name === chosen || !isAlias(name));
  const filled = names.filter(({ name, records }) => records !== 0 || name === chosen);
  const empty = names.filter((one) => !filled.includes(one));
  const pick = (name: string) => {
    const table = endpoint.tables.find((one) => one.name === name);
    if (table === undefined) return;
    onPick();
    const lql = withQuerySource(page.language === 'lql' ? page.lql : '', table, endpoint);
    void app.go({ language: 'lql', lql, columns: [] });
  };
  const item = (one: SourceCount, index: number, list: readonly SourceCount[]) => {
    const own = (source: SourceCount | undefined) =>
      source !== undefined && catalog !== undefined && isOwnSource(catalog, source.name);
    const isBreak = index > 0 && own(list[index - 1]) && !own(one);
    return html`<li key=${one.name} class=${isBreak ? 'gap' : ''}><button type="button" class="source" aria-current=${one.name === chosen ? 'true' : undefined}
      onClick=${() => pick(one.name)}><span class="name">${one.name}</span><span class="count">${Number.isNaN(one.records) ? '' : one.records.toLocaleString('en')}</span></button></li>`;
  };
  const table = endpoint.tables.find(({ name }) => name === chosen);
  return html`<div class="side-head"><h2>Sources</h2><span class="hint">records, ${page.window === '' ? 'this range' : timeWindows[page.window].title.toLowerCase()}</span></div>
    <ul>
      ${filled.map(item)}
      ${
        empty.length > 0 &&
        html`<li><button type="button" class="source fold" aria-expanded=${showsEmpty} onClick=${() => setShowsEmpty(!showsEmpty)}>
        <${Icon} name=${showsEmpty ? 'down' : 'right'} />${empty.length} without records</button></li>`
      }
      ${showsEmpty && empty.map(item)}
    </ul>
    ${table && html`<${FieldList} key=${table.name} ...${{ app, state, table }} />`}`;
}

function unknown(name: string): SourceCount {
  return { name, records: Number.NaN, oldestMs: undefined, newestMs: undefined };
}
