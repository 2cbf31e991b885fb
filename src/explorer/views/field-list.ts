import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { PageProps } from '../app/app.js';
import { html } from '../app/html.js';
import { readTopValues, type TopValue } from '../app/top-values.js';
import type { ListedTable } from '../model/endpoint.js';
import { isComparable } from '../model/filter-sql.js';
import { findRoles, statusLook } from '../model/levels.js';
import { printValue } from '../model/print-value.js';
import {
  leafField,
  leafPaths,
  pathKey,
  pathType,
  type RecordPath,
  type SourceField,
} from '../model/record-paths.js';
import { FilterButtons } from './filter-buttons.js';
import { Icon } from './icon.js';
import { useReading } from './use-reading.js';

/** Shows the fields of a source; a click shows a field's most frequent values. Only one is open at a time. */
export function FieldList({ app, state, table }: PageProps & Pick<SourceField, 'table'>): VNode {
  const [wanted, setWanted] = useState('');
  const [openKey, setOpenKey] = useState('');
  const paths = useMemo(() => sortedPaths(table), [table]);
  const words = wanted.toLowerCase().trim();
  const shown = paths.filter((path) => pathKey(path).toLowerCase().includes(words));
  const keys = new Set(paths.map(pathKey));
  const item = (path: RecordPath) => {
    const key = pathKey(path);
    const short = key.replace(/^metadata\./, '');
    const isOpen = key === openKey;
    const isColumn = state.page.columns.includes(key);
    return html`<li key=${key}>
      <button type="button" class="field-name ${isOpen ? 'open' : ''}" aria-expanded=${isOpen} title=${key} onClick=${() => setOpenKey(isOpen ? '' : key)}>
        <${Icon} name=${isOpen ? 'down' : 'right'} /><span class="name"><bdi>${keys.has(short) ? key : short}</bdi></span>
        ${isColumn && html`<span class="is-column" title="Shown as a column"><${Icon} name="columns" /></span>`}
        <span class="type">${pathType(leafField(path)).toLowerCase()}</span>
      </button>
      ${isOpen && html`<${Values} ...${{ app, state, table, path }} />`}
    </li>`;
  };
  return html`<section class="fields" aria-label="Fields of ${table.name}">
    <div class="side-head"><h2>Fields of ${table.name}</h2><span class="hint">${paths.length}</span></div>
    ${paths.length > 8 && html`<input class="find" type="search" aria-label="Find a field" placeholder="Find a field" value=${wanted} onInput=${(event: Event) => setWanted((event.target as HTMLInputElement).value)} />`}
    <ul>${shown.map(item)}</ul>
    ${shown.length === 0 && html`<p class="hint">No field has “${wanted}” in its name.</p>`}
  </section>`;
}

const lastKeys = ['id', 'timestamp', 'project'];

/** Level and status first, ids last. */
function sortedPaths({ schema }: ListedTable): readonly RecordPath[] {
  const roles = findRoles(schema.fields);
  const firstKeys = [roles?.level, roles?.status].map((path = []) => pathKey(path));
  const rank = (key: string) => Number(lastKeys.includes(key)) - Number(firstKeys.includes(key));
  return leafPaths(schema.fields).toSorted((a, b) => rank(pathKey(a)) - rank(pathKey(b)));
}

const firstLimit = 6;
const moreLimit = 30;

/** Shows the most frequent values of a field among the matches; requested when opened, and cancelled when closed. */
function Values({ app, state, table, path }: PageProps & SourceField): VNode {
  const [limit, setLimit] = useState(firstLimit);
  const read = (signal: AbortSignal) => readTopValues(app, { table, path }, limit + 1, signal);
  const { value: values, fault } = useReading(read, [state.run.rows, limit]);
  if (fault !== undefined) return html`<p class="note fault">${fault}</p>`;
  if (values === undefined) return html`<p class="note">Counting…</p>`;
  const key = pathKey(path);
  const toggle = state.page.columns.includes(key) ? 'Remove column' : 'Add as column';
  const most = Math.max(1, ...values.map(({ records }) => records));
  const shown = values.slice(0, limit);
  const line = ({ value, records }: TopValue) => {
    const text = value === null ? 'no value' : printValue(value, leafField(path), state.zone);
    const names = path.map(({ name }) => name);
    const filter = (isOut: boolean) => app.filterOn({ names, value, isOut }, path.slice(0, 1));
    return html`<li key=${String(value)} class="value-line">
      <span class="v ${statusLook(text)}" title=${text}>${text || '""'}</span>
      <span class="count">${records.toLocaleString('en')}</span>
      <span class="acts">${isComparable(path, value) && html`<${FilterButtons} ...${{ label: text, filter }} />`}</span>
      <meter class="visually-hidden" min="0" max=${most} value=${records}></meter>
      <svg class="meter" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect width=${(records / most) * 100} height="1" /></svg>
    </li>`;
  };
  return html`<ul class="values">
    ${shown.map(line)}
    <li class="note">
      ${shown.length === 0 && 'No values here. '}
      ${values.length > limit && limit === firstLimit && html`<button type="button" class="b link s" onClick=${() => setLimit(moreLimit)}>More values</button>`}
      <button type="button" class="b link s" onClick=${() => app.toggleColumn(key)}>${toggle}</button>
    </li>
  </ul>`;
}
