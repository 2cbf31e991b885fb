import type { FieldSchema } from '../../types/table-schema.js';
import type { Row } from './endpoint.js';
import { printCell } from './print-value.js';
import type { Zone } from './time.js';

/** A column with its place in the table, in pixels. */
export interface Column {
  readonly field: FieldSchema;
  readonly index: number;
  readonly left: number;
  readonly width: number;
}

const letterWidth = 7.3;
const padding = 22;
const narrowest = 64;
const widest = 460;
const sampled = 60;

/** Gives each column the width that its first values need. */
export function placeColumns(
  fields: readonly FieldSchema[],
  rows: readonly Row[],
  zone: Zone,
): readonly Column[] {
  const sample = rows.slice(0, sampled);
  let left = 0;
  return fields.map((field, index) => {
    const texts = sample.map((row) => printCell(row[field.name], field, { zone }).length);
    const letters = texts.reduce((most, length) => Math.max(most, length), field.name.length + 1);
    const width = Math.round(
      Math.min(widest, Math.max(narrowest, letters * letterWidth + padding)),
    );
    const column = { field, index, left, width };
    left += width;
    return column;
  });
}

/** What is in view of a scrolled box, in pixels. */
export interface View {
  readonly top: number;
  readonly left: number;
  readonly height: number;
  readonly width: number;
}

/** How many rows beyond the view are drawn. */
const spareRows = 8;

/** The rows to draw, from `first` to before `end`. */
export function rowsInView(
  { top, height }: View,
  rowHeight: number,
  count: number,
): { readonly first: number; readonly end: number } {
  const first = Math.max(0, Math.floor(top / rowHeight) - spareRows);
  const end = Math.min(count, Math.ceil((top + height) / rowHeight) + spareRows);
  return { first: Math.min(first, end), end };
}

/** The columns to draw. */
export function cellsInView(columns: readonly Column[], { left, width }: View): readonly Column[] {
  const spare = 200;
  return columns.filter(
    (column) => column.left + column.width >= left - spare && column.left <= left + width + spare,
  );
}
