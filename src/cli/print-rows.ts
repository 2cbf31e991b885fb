import { sliceJson } from '../endpoint/slice-json.js';

/** The forms in which rows can be printed. */
export type RowFormat = 'json' | 'ndjson' | 'csv' | 'table';

/** A JSON array of row objects as text in a form, ended by a line break. */
export function printRows(json: string, format: RowFormat): string {
  return printers[format](json);
}

const printers: Readonly<Record<RowFormat, (json: string) => string>> = {
  json: (json) => `{"result":${json}}\n`,
  ndjson: (json) =>
    sliceJson(json)
      .map(({ raw }) => `${raw}\n`)
      .join(''),
  // RFC 4180, with the line break of this system.
  csv: (json) =>
    readCells(json)
      .map((cells) => `${cells.map(quote).join(',')}\n`)
      .join(''),
  table: printTable,
};

/** The names of the columns, then a line of cells for each row; nothing where there is no row. */
function readCells(json: string): readonly (readonly string[])[] {
  const rows = sliceJson(json).map(({ raw }) => sliceJson(raw));
  const [first] = rows;
  if (first === undefined) return [];
  const cells = rows.map((row) => row.map(({ raw }) => readCell(raw)));
  return [first.map(({ name }) => name), ...cells];
}

function readCell(raw: string): string {
  if (raw === 'null') return '';
  return raw.startsWith('"') ? JSON.parse(raw) : raw;
}

function quote(cell: string): string {
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}

function printTable(json: string): string {
  const [names, ...rows] = readCells(json).map((cells) => cells.map(onOneLine));
  if (names === undefined) return '(no rows)\n';
  const widths = names.map((_, column) =>
    Math.max(...[names, ...rows].map((cells) => cells[column]?.length ?? 0)),
  );
  const rule = widths.map((width) => '-'.repeat(width));
  return [names, rule, ...rows].map((cells) => `${pad(cells, widths)}\n`).join('');
}

function pad(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join('  ')
    .trimEnd();
}

function onOneLine(cell: string): string {
  const line = cell.replace(/\s+/g, ' ');
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
