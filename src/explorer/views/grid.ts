import type { VNode } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { PageProps } from '../app/app.js';
import { html } from '../app/html.js';
import type { AnswerRow } from '../model/endpoint.js';
import { type Column, columnsInView, type PlacedColumn } from '../model/layout.js';
import { type Roles, recordLevel, statusLook } from '../model/levels.js';
import { areNewest, type Sort } from '../model/sort-rows.js';
import { keyHandler } from './key-handler.js';
import { useNarrow } from './use-narrow.js';

/** The heights of a row and of a card, in pixels, as in rows.css and narrow.css. */
const rowHeight = 24;
const cardHeight = 66;

/** The number of rows drawn beyond the view. */
const spareRows = 8;

interface Props extends Pick<PageProps, 'app'> {
  readonly rows: readonly AnswerRow[];
  readonly columns: readonly Column[];
  /** The roles of the columns of log records; undefined for other rows. */
  readonly roles: Roles | undefined;
  readonly sort: Sort | undefined;
  readonly setSort: (sort: Sort | undefined) => void;
  readonly open: AnswerRow | undefined;
  readonly onOpen: (row: AnswerRow | undefined) => void;
}

/**
 * A table that draws only the visible cells, so that a thousand wide rows scroll smoothly. Records are cards on narrow
 * pages.
 */
export function Grid(props: Props): VNode {
  const { rows, columns, roles, open, onOpen } = props;
  const box = useRef<HTMLDivElement>(null);
  const view = useView(box);
  const [active, setActive] = useState(0);
  const isCards = useNarrow() && roles !== undefined;
  const height = isCards ? cardHeight : rowHeight;
  const isCalm = useMemo(() => roles !== undefined && mostAreErrors(rows, roles), [rows, roles]);
  const isNewest = useMemo(() => roles && !props.sort && areNewest(rows), [rows, props.sort]);
  const newestKey = isNewest ? '(time)' : '';
  const first = Math.max(0, Math.min(rows.length, Math.floor(view.top / height)) - spareRows);
  const end = Math.min(rows.length, Math.ceil((view.top + view.height) / height) + spareRows);
  const goTo = (index: number) => {
    setActive(index);
    if (box.current) scrollTo(box.current, index, height);
  };
  const opened = open === undefined ? -1 : rows.indexOf(open);
  useLayoutEffect(() => {
    if (opened >= 0) goTo(opened);
  }, [opened]);
  const go = (next: number) => {
    const index = Math.max(0, Math.min(rows.length - 1, next));
    if (open !== undefined) onOpen(rows[index]);
    goTo(index);
  };
  const page = Math.floor(view.height / height) - 2;
  const [next, previous] = [() => go(active + 1), () => go(active - 1)];
  const acts = {
    ...{ ArrowDown: next, ArrowUp: previous, j: next, k: previous },
    ...{ PageDown: () => go(active + page), PageUp: () => go(active - page) },
    ...{ Home: () => go(0), End: () => go(rows.length - 1) },
    Enter: () => onOpen(rows[active]),
    Escape: () => onOpen(undefined),
  };
  const onKey = keyHandler(acts, isEnterOnButton);
  const pick = (index: number) => {
    setActive(index);
    box.current?.focus({ preventScroll: true });
    onOpen(rows[index] === open ? undefined : rows[index]);
  };
  const cells = isCards ? columnsInView(columns) : columnsInView(columns, view);
  const row = (_row: AnswerRow, at: number) =>
    gridRow({ ...props, cells }, first + at, active, pick);
  const widths = columns.map(({ width }) => (width ? `${width}px` : 'minmax(320px, 1fr)'));
  return html`<div class="grid ${isCards ? 'cards' : ''} ${isCalm ? 'calm' : ''}" role="grid" tabindex="0" ref=${box} aria-label="Rows" onKeyDown=${onKey}
    style=${{ '--columns': widths.join(' ') }} aria-rowcount=${rows.length + 1} aria-colcount=${columns.length}
    aria-activedescendant=${active >= first && active < end ? `row-${active}` : undefined}>
    <div role="rowgroup" class="grid-head">
      <div role="row" aria-rowindex="1">${cells.map((column) => html`<${Head} key=${column.key} ...${{ ...props, column, newestKey }} />`)}</div>
    </div>
    <div role="rowgroup" class="grid-body" style=${{ height: `${rows.length * height}px`, paddingTop: `${first * height}px` }}>
      ${rows.slice(first, end).map(row)}
    </div>
  </div>`;
}

/** Whether more than a third of the rows are errors: then these have no tint, because the page would be red. */
function mostAreErrors(rows: readonly AnswerRow[], roles: Roles): boolean {
  const errors = rows.filter((row) => recordLevel(row, roles).level === 'error');
  return errors.length * 3 > rows.length;
}

/** Returns the visible part of a scrolled box, in pixels. */
function useView(box: { readonly current: HTMLElement | null }) {
  const [view, setView] = useState({ top: 0, left: 0, height: 600, width: 1200 });
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const read = () => {
      const { scrollTop: top, scrollLeft: left, clientHeight: height, clientWidth } = element;
      setView({ top, left, height, width: clientWidth });
    };
    const observer = new ResizeObserver(read);
    observer.observe(element);
    element.addEventListener('scroll', read, { passive: true });
    return () => observer.disconnect();
  }, []);
  return view;
}

function scrollTo(box: HTMLElement, index: number, height: number): void {
  const top = index * height;
  const room = box.clientHeight - 2 * height;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top > box.scrollTop + room) box.scrollTop = top - room;
}

function isEnterOnButton({ key, target }: KeyboardEvent): boolean {
  return key === 'Enter' && target instanceof HTMLButtonElement;
}

interface HeadProps extends Props {
  readonly column: PlacedColumn;
  /** The column by which the rows are sorted as they come. */
  readonly newestKey: string;
}

const nextOrder = { none: 'ascending', ascending: 'descending', descending: 'none' } as const;

function Head({ app, column, sort, setSort, newestKey }: HeadProps): VNode {
  const { key, title, hint, place, isNumber, isAdded } = column;
  const own = sort?.key === key ? sort : undefined;
  const turn = nextOrder[own?.order ?? 'none'];
  const pick = () => setSort(turn === 'none' ? undefined : { key, order: turn });
  const onKey = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    if (!isAdded || !event.altKey || by === 0) return;
    event.preventDefault();
    app.moveColumn(key, by);
  };
  return html`<div role="columnheader" class="cell ${isNumber ? 'number' : ''} ${isAdded ? 'added' : ''}" aria-colindex=${place}
    aria-sort=${own?.order ?? (key === newestKey ? 'descending' : 'none')} style=${{ gridColumn: place }}>
    <button type="button" class="sort" title="${title} ${hint}${isAdded ? '; Alt with ← or → moves it' : ''}" onClick=${pick} onKeyDown=${onKey}><span>${title}</span></button>
    ${isAdded && html`<button type="button" class="remove" aria-label="Remove the column ${title}" title="Remove" onClick=${() => app.toggleColumn(key)}>×</button>`}
  </div>`;
}

function gridRow(
  { rows, cells, roles, open }: Props & { readonly cells: readonly PlacedColumn[] },
  index: number,
  active: number,
  pick: (index: number) => void,
): VNode {
  const row = rows[index] ?? {};
  const level = roles && recordLevel(row, roles).level;
  return html`<div role="row" key=${index} id="row-${index}" class="row ${level ?? ''} ${index === active ? 'active' : ''}"
    aria-rowindex=${index + 2} aria-selected=${row === open} onClick=${() => pick(index)}>
    ${cells.map((column) => {
      const text = column.print(row);
      const status = column.key === '(status)' ? statusLook(text) : '';
      const look = roles ? `${column.key.replaceAll(/[().]/g, '')} ${status}` : '';
      return html`<div role="gridcell" key=${column.key} class="cell ${look} ${column.isNumber ? 'number' : ''} ${column.read(row) === null ? 'null' : ''}"
        aria-colindex=${column.place} style=${{ gridColumn: column.place }} dir="auto">${text}</div>`;
    })}
  </div>`;
}
