import type { VNode } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { FieldSchema } from '../../types/table-schema.js';
import type { App } from '../app/app.js';
import { html } from '../app/html.js';
import type { Row, Value } from '../model/endpoint.js';
import { isComparable } from '../model/filter-sql.js';
import { printJson } from '../model/parse-json.js';
import { printValue } from '../model/print-value.js';
import type { Zone } from '../model/time.js';
import { isNarrow } from './narrow.js';

interface Props {
  readonly app: App;
  readonly row: Row;
  readonly columns: readonly FieldSchema[];
  readonly zone: Zone;
  /** Whether the endpoint takes queries, so that rows can be filtered. */
  readonly canFilter: boolean;
  readonly close: () => void;
}

/** What the nodes of a tree need. */
interface Tree extends Pick<Props, 'app' | 'zone' | 'canFilter'> {
  readonly showsEmpty: boolean;
}

/** One row, with its records as a tree. */
export function RecordView({ app, row, columns, zone, canFilter, close }: Props): VNode {
  const box = useRef<HTMLElement>(null);
  const [showsEmpty, setShowsEmpty] = useState(false);
  const tree = { app, zone, canFilter, showsEmpty };
  useEffect(() => {
    if (isNarrow()) box.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const copy = () => app.copy(printJson(row, 2), 'Copied as JSON');
  const onKey = (event: KeyboardEvent) => {
    if (event.key === 'Escape') close();
  };
  return html`<section class="record" aria-label="Opened row" ref=${box} onKeyDown=${onKey}>
    <div class="record-bar">
      <label class="check"><input type="checkbox" checked=${showsEmpty} onChange=${() => setShowsEmpty(!showsEmpty)} /> Empty fields</label>
      <span class="space"></span>
      <button type="button" class="small" onClick=${copy}>Copy JSON</button>
      <button type="button" class="small" onClick=${close} aria-label="Close the row">Close</button>
    </div>
    <div class="tree" tabindex="0" role="group" aria-label="Fields">
      ${columns.map((field) => html`<${Node} key=${field.name} field=${field} value=${row[field.name] ?? null} names=${[field.name]} tree=${tree} />`)}
    </div>
  </section>`;
}

interface NodeProps {
  readonly field: FieldSchema;
  readonly value: Value;
  readonly names: readonly string[];
  readonly tree: Tree;
}

function Node({ field, value, names, tree }: NodeProps): VNode | null {
  if (value === null && !tree.showsEmpty) return null;
  if (field.type !== 'STRUCT' || value === null)
    return html`<${Leaf} ...${{ field, value, names, tree }} />`;
  const elements = (Array.isArray(value) ? value : [value]) as readonly Value[];
  return html`${elements.map((element, index) => {
    const name =
      elements.length === 1 ? field.name : `${field.name} ${index + 1} of ${elements.length}`;
    return html`<details open key=${index}>
      <summary>${name}</summary>
      <div class="below">${fieldsOf(field, element, names, tree)}</div>
    </details>`;
  })}`;
}

function fieldsOf(
  { fields = [] }: FieldSchema,
  element: Value,
  names: readonly string[],
  tree: Tree,
): readonly VNode[] {
  const record = (element ?? {}) as Row;
  return fields.map((field) => {
    const path = [...names, field.name];
    return html`<${Node} key=${field.name} field=${field} value=${record[field.name] ?? null} names=${path} tree=${tree} />`;
  });
}

function Leaf({ field, value, names, tree }: NodeProps): VNode {
  if (field.mode === 'REPEATED' && Array.isArray(value)) {
    return html`${value.map((one: Value, index) => html`<${Line} key=${index} ...${{ field, value: one, names, tree }} />`)}`;
  }
  return html`<${Line} ...${{ field, value, names, tree }} />`;
}

function Line({ field, value, names, tree }: NodeProps): VNode {
  const { app, zone, canFilter } = tree;
  const text = printValue(value, { ...field, mode: 'NULLABLE' }, { zone, precise: true });
  const label = `Filter on ${names.join('.')} = ${text.slice(0, 80)}`;
  const offers = canFilter && isComparable([field], value);
  return html`<div class="leaf">
    <span class="key" title=${field.type}>${field.name}</span>
    <span class="value ${value === null ? 'null' : ''} ${field.type === 'STRING' ? '' : 'other'}" dir="auto">${text}</span>
    ${
      offers &&
      html`<button type="button" class="filter" aria-label=${label} title="Show only rows with this value"
      onClick=${() => app.filterOn({ names, value })}>filter</button>`
    }
  </div>`;
}
