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
    cells.map(readOneLine),
  );
  const widths = head.map((name, column) =>
    Math.max(name.width, ...lines.map((cells) => cells[column]?.width ?? 0)),
  );
  const rule = widths.map((width) => ({ text: '-'.repeat(width), width }));
  return [head, rule, ...lines].map((cells) => `${pad(cells, widths)}\n`).join('');
}

/** A string and its width in terminal columns. */
interface Cell {
  readonly text: string;
  readonly width: number;
}

function pad(cells: readonly Cell[], widths: readonly number[]): string {
  return cells
    .map(({ text, width }, column) => text + ' '.repeat((widths[column] ?? 0) - width))
    .join('  ')
    .trimEnd();
}

const maxWidth = 80;
const segmenter = new Intl.Segmenter();

/** Prints a string on one line, truncated to 80 columns. */
function readOneLine(cell: string): Cell {
  const whole = measure(cell.replace(/\s+/g, ' ').replace(unprintable, '\ufffd'));
  const width = whole.reduce((sum, part) => sum + part.width, 0);
  const parts = width > maxWidth ? cut(whole) : whole;
  return {
    text: parts.map((part) => part.text).join(''),
    width: parts.reduce((sum, part) => sum + part.width, 0),
  };
}

// Logs contain untrusted input, whose escape sequences must not reach the terminal.
const unprintable = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Characters two columns wide: East Asian scripts, full-width forms and emoji. */
const wide =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\ufe0f/u;

function measure(text: string): readonly Cell[] {
  return [...segmenter.segment(text)].map(({ segment }) => ({
    text: segment,
    width: wide.test(segment) ? 2 : 1,
  }));
}

function cut(cells: readonly Cell[]): readonly Cell[] {
  let width = 1;
  const end = cells.findIndex((cell) => {
    width += cell.width;
    return width > maxWidth;
  });
  return [...cells.slice(0, end), { text: '…', width: 1 }];
}
