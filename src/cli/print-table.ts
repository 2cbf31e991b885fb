import stringWidth from 'string-width';
import type { OutputColumn } from '../compiler/compiled-query.js';
import { withTimes } from '../formats/with-times.js';
import { scalarText, sliceJson } from '../values/slice-json.js';

/**
 * Prints a JSON array of row objects as a table, which ends with a line break. Times are formatted, because only
 * people read tables.
 */
export function printTable(json: string, columns: readonly OutputColumn[]): string {
  const rows = sliceJson(json).map(({ raw }) =>
    sliceJson(raw).map((cell, column) =>
      cell.raw === 'null' ? '' : scalarText(withTimes(cell.raw, columns[column]?.type)),
    ),
  );
  if (rows.length === 0) return '(no rows)\n';
  const [head = [], ...lines] = [columns.map(({ name }) => name), ...rows].map((cells) =>
    cells.map(onOneLine),
  );
  const widths = head.map((_, column) =>
    Math.max(...[head, ...lines].map((cells) => stringWidth(cells[column] ?? ''))),
  );
  const pad = (cell: string, column: number) =>
    cell + ' '.repeat((widths[column] ?? 0) - stringWidth(cell));
  const rule = widths.map((width) => '-'.repeat(width));
  return [head, rule, ...lines].map((cells) => `${cells.map(pad).join('  ').trimEnd()}\n`).join('');
}

const maxWidth = 80;

/** The maximum number of UTF-16 units of a string to print: measuring its width takes quadratic time. */
const maxLength = 1_000;
const segmenter = new Intl.Segmenter();

// Logs contain untrusted input, whose escape sequences must not reach the terminal.
const unprintable = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Prints a string on one line, truncated to 80 columns of a terminal. */
function onOneLine(cell: string): string {
  const line = cell.slice(0, maxLength).replace(/\s+/g, ' ').replace(unprintable, '\ufffd');
  if (cell.length <= maxLength && stringWidth(line) <= maxWidth) return line;
  let start = '';
  let width = 0;
  for (const { segment } of segmenter.segment(line)) {
    width += stringWidth(segment);
    if (width >= maxWidth) break;
    start += segment;
  }
  return `${start}…`;
}
