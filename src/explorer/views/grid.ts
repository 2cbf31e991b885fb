import type { VNode } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { html } from '../app/html.js';
import type { AnswerRow } from '../model/endpoint.js';
import {
  type Column,
  cellsInView,
  type PlacedColumn,
  placeColumns,
  rowsInView,
  type View,
} from '../model/layout.js';
import { levelOf, type Roles } from '../model/levels.js';
import type { Sort } from '../model/sort-rows.js';
import { useNarrow } from './use-narrow.js';

/** The heights of a row and of a card, in pixels, as in results.css. */
const rowHeight = 24;
const cardHeight = 66;

interface Props {
  readonly rows: readonly AnswerRow[];
  readonly columns: readonly Column[];
  /** The roles of the columns of log records; undefined for other rows. */
  readonly roles: Roles | undefined;
  readonly sort: Sort | undefined;
  readonly setSort: (sort: Sort | undefined) => void;
  readonly open: AnswerRow | undefined;
  readonly onOpen: (row: AnswerRow | undefined) => void;
  /** Moves an added column by a number of places, or removes it. */
  readonly onColumn?: (key: string, change: number | 'remove') => void;
}

/**
 * A table that draws only the visible cells, so that a thousand wide rows scroll smoothly. Records are cards on
 * narrow pages.
 */
export function Grid(props: Props): VNode {
  const { rows, columns, roles, open, onOpen } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, left: 0, height: 600, width: 1200 });
  const [active, setActive] = useState(0);
  const isCards = useNarrow() && roles !== undefined;
  const height = isCards ? cardHeight : rowHeight;
  useLayoutEffect(() => watchView(box.current, setView), []);
  const placed = useMemo(() => placeColumns(columns, view.width), [columns, view.width]);
  const isCalm = useMemo(() => roles !== undefined && mostAreErrors(rows, roles), [rows, roles]);
  const last = placed.at(-1);
  const width = isCards ? view.width : (last?.left ?? 0) + (last?.width ?? 0);
  const { first, end } = rowsInView(view, height, rows.length);
  const cells = isCards ? placed : cellsInView(placed, view);
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
  const move = keysOf({
    ...movesOf(active, Math.floor(view.height / height) - 2, rows.length - 1, go),
    Enter: () => onOpen(rows[active]),
    Escape: () => onOpen(undefined),
  });
  const drawn = rows.slice(first, end).map((row, offset) => {
    const index = first + offset;
    const pick = () => {
      setActive(index);
      box.current?.focus({ preventScroll: true });
      onOpen(row === open ? undefined : row);
    };
    return html`<${GridRow} key=${index} ...${{ row, index, cells, pick, width, roles, height, isCards }}
      isActive=${index === active} isOpen=${row === open} />`;
  });
  return html`<div class="grid ${isCards ? 'cards' : ''} ${isCalm ? 'calm' : ''}" role="grid" tabindex="0" ref=${box} aria-label="Rows" onKeyDown=${move}
    aria-rowcount=${rows.length + 1} aria-colcount=${placed.length}
    aria-activedescendant=${active >= first && active < end ? `row-${active}` : undefined}>
    <div role="rowgroup" class="grid-head" style=${{ width: `${width}px` }}>
      <div role="row" aria-rowindex="1">${cells.map((column) => html`<${Head} key=${column.key} ...${{ ...props, column }} />`)}</div>
    </div>
    <div role="rowgroup" class="grid-body" style=${{ width: `${width}px`, height: `${rows.length * height}px` }}>
      ${drawn}
    </div>
  </div>`;
}

/** Returns the keys that move between rows. */
function movesOf(active: number, page: number, last: number, go: (index: number) => void) {
  const targets = {
    ...{ ArrowDown: active + 1, ArrowUp: active - 1, j: active + 1, k: active - 1 },
    ...{ PageDown: active + page, PageUp: active - page, Home: 0, End: last },
  };
  const moves = Object.entries(targets).map(([key, index]) => [key, () => go(index)] as const);
  return Object.fromEntries(moves);
}

/** Rows of errors have no tint where they are more than a third, or the page would be red. */
function mostAreErrors(rows: readonly AnswerRow[], roles: Roles): boolean {
  const errors = rows.filter((row) => levelOf(row, roles).level === 'error');
  return errors.length * 3 > rows.length;
}

function watchView(box: HTMLElement | null, setView: (view: View) => void): () => void {
  if (box === null) return () => undefined;
  const read = () =>
    setView({
      top: box.scrollTop,
      left: box.scrollLeft,
      height: box.clientHeight,
      width: box.clientWidth,
    });
  read();
  const observer = new ResizeObserver(read);
  observer.observe(box);
  box.addEventListener('scroll', read, { passive: true });
  return () => {
    observer.disconnect();
    box.removeEventListener('scroll', read);
  };
}

function scrollTo(box: HTMLElement, index: number, height: number): void {
  const top = index * height;
  const room = box.clientHeight - 2 * height;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top > box.scrollTop + room) box.scrollTop = top - room;
}

function keysOf(moves: Readonly<Record<string, () => void>>): (event: KeyboardEvent) => void {
  return (event) => {
    const isOnButton = event.target instanceof HTMLButtonElement;
    const move = moves[event.key];
    const hasModifier = event.ctrlKey || event.metaKey || event.altKey;
    if (move === undefined || hasModifier || (isOnButton && event.key === 'Enter')) return;
    event.preventDefault();
    move();
  };
}

interface HeadProps extends Props {
  readonly column: PlacedColumn;
}

const nextOrder = { none: 'ascending', ascending: 'descending', descending: 'none' } as const;

function Head({ column, sort, setSort, onColumn }: HeadProps): VNode {
  const { key, title, hint, left, width, index, isNumber, isAdded } = column;
  const own = sort?.key === key ? sort : undefined;
  const turn = nextOrder[own?.order ?? 'none'];
  const pick = () => setSort(turn === 'none' ? undefined : { key, order: turn });
  const change = isAdded ? onColumn : undefined;
  const onKey = (event: KeyboardEvent) => {
    const by = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
    if (change === undefined || !event.altKey || by === 0) return;
    event.preventDefault();
    change(key, by);
  };
  return html`<div role="columnheader" class="cell ${isNumber ? 'number' : ''} ${isAdded ? 'added' : ''}" aria-colindex=${index + 1}
    aria-sort=${own?.order ?? 'none'} style=${{ left: `${left}px`, width: `${width}px` }}>
    <button type="button" class="sort" title="${title} ${hint}${change ? '; Alt with ← or → moves it' : ''}" onClick=${pick} onKeyDown=${onKey}>${title}</button>
    ${change && html`<button type="button" class="remove" aria-label="Remove the column ${title}" title="Remove" onClick=${() => change(key, 'remove')}>×</button>`}
  </div>`;
}

interface RowProps extends Pick<Props, 'roles'> {
  readonly row: AnswerRow;
  readonly index: number;
  readonly cells: readonly PlacedColumn[];
  readonly isActive: boolean;
  readonly isOpen: boolean;
  readonly pick: () => void;
  readonly width: number;
  readonly height: number;
  readonly isCards: boolean;
}

function GridRow(props: RowProps): VNode {
  const { row, index, cells, isActive, isOpen, pick, width, roles, height, isCards } = props;
  const style = { top: `${index * height}px`, width: `${width}px`, height: `${height}px` };
  const level = roles && levelOf(row, roles).level;
  return html`<div role="row" id="row-${index}" class="row ${level ?? ''} ${isActive ? 'active' : ''}" style=${style}
    aria-rowindex=${index + 2} aria-selected=${isOpen} onClick=${pick}>
    ${cells.map((column) => {
      const text = column.print(row);
      const place = isCards ? {} : { left: `${column.left}px`, width: `${column.width}px` };
      const look = `${roles ? column.key.replaceAll(/[().]/g, '') : ''} ${column.isNumber ? 'number' : ''} ${column.read(row) === null ? 'null' : ''}`;
      return html`<div role="gridcell" key=${column.key} class="cell ${look} ${roles ? statusLook(column, text) : ''}"
        aria-colindex=${column.index + 1} dir="auto" style=${place}>${text}</div>`;
    })}
  </div>`;
}

function statusLook({ key }: Column, text: string): string {
  if (key !== '(status)') return '';
  return text.startsWith('5') ? 'bad' : text.startsWith('4') ? 'odd' : '';
}
