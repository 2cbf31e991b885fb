import type { VNode } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { FieldSchema } from '../../types/table-schema.js';
import { html } from '../app/html.js';
import type { Row } from '../model/endpoint.js';
import { type Column, cellsInView, placeColumns, rowsInView, type View } from '../model/layout.js';
import { isNumeric, printCell } from '../model/print-value.js';
import { typeOf } from '../model/record-paths.js';
import { type Sort, sortRows } from '../model/sort-rows.js';
import type { Zone } from '../model/time.js';

/** The height of a row in pixels, as in explorer.css. */
const rowHeight = 26;

interface Props {
  readonly rows: readonly Row[];
  readonly columns: readonly FieldSchema[];
  readonly zone: Zone;
  readonly open: Row | undefined;
  readonly onOpen: (row: Row | undefined) => void;
}

/** A table that draws only the cells in view, so that a thousand wide rows scroll smoothly. */
export function Grid({ rows, columns, zone, open, onOpen }: Props): VNode {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, left: 0, height: 600, width: 1200 });
  const [active, setActive] = useState(0);
  const [sort, setSort] = useState<Sort | undefined>();
  const placed = useMemo(() => placeColumns(columns, rows, zone), [columns, rows, zone]);
  const sorted = useMemo(() => sortRows(rows, sort), [rows, sort]);
  useLayoutEffect(() => watchView(box.current, setView), []);
  const last = placed.at(-1);
  const width = (last?.left ?? 0) + (last?.width ?? 0);
  const { first, end } = rowsInView(view, rowHeight, sorted.length);
  const cells = cellsInView(placed, view);
  const go = (next: number) => {
    const index = Math.max(0, Math.min(sorted.length - 1, next));
    setActive(index);
    if (open !== undefined) onOpen(sorted[index]);
    if (box.current) scrollTo(box.current, index);
  };
  const page = Math.floor(view.height / rowHeight) - 2;
  const keys = keysOf({
    ArrowDown: () => go(active + 1),
    ArrowUp: () => go(active - 1),
    PageDown: () => go(active + page),
    PageUp: () => go(active - page),
    Home: () => go(0),
    End: () => go(sorted.length - 1),
    Enter: () => onOpen(sorted[active]),
    Escape: () => onOpen(undefined),
  });
  const drawn = sorted.slice(first, end).map((row, offset) => {
    const index = first + offset;
    const pick = () => {
      setActive(index);
      onOpen(row === open ? undefined : row);
    };
    return html`<${GridRow} key=${index} ...${{ row, index, cells, zone, pick, width }}
      isActive=${index === active} isOpen=${row === open} />`;
  });
  return html`<div class="grid" role="grid" tabindex="0" ref=${box} aria-label="Rows" onKeyDown=${keys}
    aria-rowcount=${sorted.length + 1} aria-colcount=${placed.length}
    aria-activedescendant=${active >= first && active < end ? `row-${active}` : undefined}>
    <div role="rowgroup" class="grid-head" style=${{ width: `${width}px` }}>
      <div role="row" aria-rowindex="1">${cells.map((column) => html`<${Head} key=${column.field.name} ...${{ column, sort, setSort }} />`)}</div>
    </div>
    <div role="rowgroup" class="grid-body" style=${{ width: `${width}px`, height: `${sorted.length * rowHeight}px` }}>
      ${drawn}
    </div>
  </div>`;
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
  const observer = new ResizeObserver(read);
  observer.observe(box);
  box.addEventListener('scroll', read, { passive: true });
  return () => {
    observer.disconnect();
    box.removeEventListener('scroll', read);
  };
}

function scrollTo(box: HTMLElement, index: number): void {
  const top = index * rowHeight;
  const room = box.clientHeight - 2 * rowHeight;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top > box.scrollTop + room) box.scrollTop = top - room;
}

function keysOf(moves: Readonly<Record<string, () => void>>): (event: KeyboardEvent) => void {
  return (event) => {
    const isOnButton = event.target instanceof HTMLButtonElement;
    const move = event.ctrlKey || event.metaKey || isOnButton ? undefined : moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    move();
  };
}

interface HeadProps {
  readonly column: Column;
  readonly sort: Sort | undefined;
  readonly setSort: (sort: Sort | undefined) => void;
}

function Head({ column, sort, setSort }: HeadProps): VNode {
  const { field, left, width, index } = column;
  const own = sort?.name === field.name ? sort : undefined;
  const next = { none: 'ascending', ascending: 'descending', descending: 'none' } as const;
  const turn = next[own?.order ?? 'none'];
  const pick = () => setSort(turn === 'none' ? undefined : { name: field.name, order: turn });
  return html`<div role="columnheader" class="cell ${isNumeric(field) ? 'number' : ''}" aria-colindex=${index + 1}
    aria-sort=${own?.order ?? 'none'} style=${{ left: `${left}px`, width: `${width}px` }}>
    <button type="button" tabindex="-1" title="${field.name}: ${typeOf(field)}" onClick=${pick}>${field.name}</button>
  </div>`;
}

/** `ARRAY<STRUCT>`, `INT64`. */
interface RowProps {
  readonly row: Row;
  readonly index: number;
  readonly cells: readonly Column[];
  readonly zone: Zone;
  readonly isActive: boolean;
  readonly isOpen: boolean;
  readonly pick: () => void;
  readonly width: number;
}

function GridRow({ row, index, cells, zone, isActive, isOpen, pick, width }: RowProps): VNode {
  const style = { top: `${index * rowHeight}px`, width: `${width}px` };
  return html`<div role="row" id="row-${index}" class="row ${isActive ? 'active' : ''}" style=${style}
    aria-rowindex=${index + 2} aria-selected=${isOpen} onClick=${pick}>
    ${cells.map(({ field, left, width: cellWidth, index: column }) => {
      const value = row[field.name] ?? null;
      const look = value === null ? 'null' : isNumeric(field) ? 'number' : '';
      return html`<div role="gridcell" key=${column} class="cell ${look}" aria-colindex=${column + 1} dir="auto"
        style=${{ left: `${left}px`, width: `${cellWidth}px` }}>${printCell(value, field, { zone })}</div>`;
    })}
  </div>`;
}
