import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { FieldSchema } from '../../types/table-schema.js';
import type { PageProps } from '../app/app.js';
import { html } from '../app/html.js';
import { type AnswerRow, type AnswerValue, isAnswerRow } from '../model/endpoint.js';
import { isComparable } from '../model/filter-sql.js';
import { type Roles, statusLook } from '../model/levels.js';
import { printValue } from '../model/print-value.js';
import { leafField, pathKey, type RecordPath } from '../model/record-paths.js';
import { FilterButtons } from './filter-buttons.js';
import { Icon } from './icon.js';

interface Props extends PageProps {
  readonly row: AnswerRow;
  readonly columns: readonly FieldSchema[];
  /** Whether the endpoint takes queries, so that rows can be filtered. */
  readonly canFilter: boolean;
  /** The roles of the columns of log records, whose time and message are shown elsewhere. */
  readonly roles: Roles | undefined;
}

/** The inputs of the nodes of a tree. */
interface Tree extends Omit<Props, 'row'> {
  readonly showsEmpty: boolean;
}

const lastNames = ['id', 'project'];

/** Shows the fields of a row, with records as branches; fields that every row has come last. */
export function RecordTree({ row, ...props }: Props): VNode {
  const { roles, columns } = props;
  const [showsEmpty, setShowsEmpty] = useState(false);
  const tree = { ...props, showsEmpty };
  const elsewhere = [roles?.time, roles?.message];
  const rank = ({ name }: FieldSchema) => lastNames.indexOf(name);
  const fields = columns
    .filter(({ name }) => !elsewhere.includes(name))
    .toSorted((a, b) => rank(a) - rank(b));
  return html`<div class="tree" tabindex="0" role="group" aria-label="Fields">
    ${fields.map((field) => html`<${Node} key=${field.name} path=${[field]} value=${row[field.name] ?? null} depth=${0} tree=${tree} />`)}
    <button type="button" class="b link s" aria-pressed=${showsEmpty} onClick=${() => setShowsEmpty(!showsEmpty)}>${showsEmpty ? 'Hide empty fields' : 'Show empty fields'}</button>
  </div>`;
}

interface NodeProps {
  readonly path: RecordPath;
  readonly value: AnswerValue;
  readonly depth: number;
  readonly tree: Tree;
  /** The position of an element in a list of several, such as ` 1 of 2`. */
  readonly place?: string;
}

function Node({ path, value, depth, tree }: NodeProps): VNode | null {
  const field = leafField(path);
  if (isEmpty(value) && !tree.showsEmpty) return null;
  const elements = field.mode === 'REPEATED' && Array.isArray(value) ? value : [value];
  const Shown = field.type !== 'STRUCT' || isEmpty(value) ? Leaf : Branch;
  return html`${elements.map((one: AnswerValue, index) => {
    const place = elements.length === 1 ? '' : ` ${index + 1} of ${elements.length}`;
    return html`<${Shown} key=${index} ...${{ path, value: one, depth, tree, place }} />`;
  })}`;
}

function isEmpty(value: AnswerValue): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

function Branch({ path, value, depth, tree, place }: NodeProps): VNode {
  const [isOpen, setOpen] = useState(true);
  const record = isAnswerRow(value) ? value : {};
  const { name, fields = [] } = leafField(path);
  return html`<div class="node" style=${{ '--depth': depth }}>
      <button type="button" class="key branch" aria-expanded=${isOpen} onClick=${() => setOpen(!isOpen)}><${Icon} name=${isOpen ? 'down' : 'right'} />${name}${place}</button>
    </div>
    ${isOpen && fields.map((field) => html`<${Node} key=${field.name} path=${[...path, field]} value=${record[field.name] ?? null} depth=${depth + 1} tree=${tree} />`)}`;
}

function Leaf({ path, value, depth, tree }: NodeProps): VNode {
  const { app, state, canFilter, columns } = tree;
  const field = leafField(path);
  const key = pathKey(path);
  const text = printValue(value, { ...field, mode: 'NULLABLE' }, state.zone, true);
  const names = path.map(({ name }) => name);
  const offers = canFilter && isComparable(path, value);
  const filter = (isOut: boolean) => app.filterOn({ names, value, isOut }, columns);
  const isColumn = state.page.columns.includes(key);
  const toggle = isColumn ? 'Remove the column' : 'Add as column';
  const label = `${key} = ${text.slice(0, 80)}`;
  const type = value === null ? 'null' : field.type === 'STRING' ? 'string' : '';
  const look = key === pathKey(tree.roles?.status ?? []) ? statusLook(text) : type;
  return html`<div class="node leaf ${text.includes('\n') ? 'wide' : ''}" style=${{ '--depth': depth }}>
    <span class="key" title="${key}: ${field.type}">${field.name}</span>
    <span class="value ${look}" dir="auto">${text}</span>
    <span class="acts">
      ${offers && html`<${FilterButtons} ...${{ label, filter }} />`}
      ${canFilter && html`<button type="button" class="act" aria-pressed=${isColumn} aria-label="${toggle} ${key}" title=${toggle} onClick=${() => app.toggleColumn(key)}><${Icon} name="columns" /></button>`}
    </span>
  </div>`;
}
