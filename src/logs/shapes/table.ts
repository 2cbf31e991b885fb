import { ignoreErrors } from '../../process/ignore-errors.js';
import { compilePattern } from './linear-pattern.js';
import { ownValue } from './member.js';
import type { Groups } from './record-time.js';
import type { TableShape } from './text-shape.js';

/**
 * The content of a table line: values by column, the header or a comment, the beginning of a row of several lines, or
 * none of these.
 */
export type TableLine = Groups | 'header' | 'more' | undefined;

/** The maximum length of a row of several lines, in lines and characters. */
const maxLines = 1_000;
const maxLength = 1_000_000;

/** Creates a reader of the lines of a table; a line that is alone begins no row of several lines. */
export function createTable(shape: TableShape): (line: string, isAlone?: boolean) => TableLine {
  let columns: readonly string[] | undefined = shape.columns;
  const row = shape.row === undefined ? undefined : compilePattern(shape.row).regExp;
  let begun: string[] = [];
  let size = 0;
  const readRow = (values: readonly string[]): TableLine => {
    if (columns !== undefined) return nameValues(columns, values, shape);
    if (shape.header !== undefined) return undefined;
    columns = nameColumns(values, shape);
    return 'header';
  };
  /** Continues a row until its quotes are closed. */
  const goOn = (line: string): TableLine => {
    begun.push(line);
    size += line.length;
    const isClosing = line.split('"').length % 2 === 0;
    if (!isClosing && begun.length < maxLines && size < maxLength) return 'more';
    const values = isClosing ? splitRow(begun.join('\n'), shape.separator) : undefined;
    begun = [];
    return values && readRow(values);
  };
  return (line, isAlone = false) => {
    if (begun.length > 0 && !isAlone) return goOn(line);
    const names = readHeader(line, shape);
    columns = names ?? columns;
    if (names !== undefined || line.startsWith('#') || line.trim() === '') return 'header';
    if (row !== undefined && columns === shape.columns && !row.test(line)) return undefined;
    const values = splitRow(line, shape.separator);
    if (values !== undefined) return readRow(values);
    if (isAlone) return undefined;
    [begun, size] = [[line], line.length];
    return 'more';
  };
}

/** Returns the names of the columns, if a line is the header. */
function readHeader(text: string, shape: TableShape): readonly string[] | undefined {
  const { header, separator } = shape;
  if (header === undefined || !text.startsWith(header)) return undefined;
  const names = header.startsWith('#')
    ? text.slice(header.length).split(' ')
    : text.split(separator);
  return nameColumns(names, shape);
}

function nameColumns(texts: readonly string[], { names }: TableShape): readonly string[] {
  return texts.map((text) => ownValue(names, text) ?? snakeCase(text));
}

function nameValues(
  columns: readonly string[],
  values: readonly string[],
  { isEncoded, optional }: TableShape,
): Groups | undefined {
  const missing = columns.length - values.length;
  if (missing < 0 || missing > optional) return undefined;
  const read = (text: string) =>
    (isEncoded && ignoreErrors(() => decodeURIComponent(text))) || text;
  return Object.fromEntries(values.map((text, index) => [columns[index], read(text)]));
}

/** Splits a row into values; undefined if it ends inside quotes. */
function splitRow(text: string, separator: string): readonly string[] | undefined {
  if (!text.includes('"')) return text.split(separator);
  const values: string[] = [];
  for (let at = 0; at <= text.length; ) {
    const end = text[at] === '"' ? endOfQuoted(text, at) : at - 1;
    if (end === undefined) return undefined;
    const quoted = end < at ? '' : text.slice(at + 1, end).replaceAll('""', '"');
    const next = text.indexOf(separator, end + 1);
    values.push(`${quoted}${text.slice(end + 1, next < 0 ? text.length : next)}`);
    if (next < 0) return values;
    at = next + separator.length;
  }
  return values;
}

/** Returns the end of the quoted value that begins here; two quotes in a row are an escaped quote. */
function endOfQuoted(text: string, start: number): number | undefined {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 2)) {
    if (text[at + 1] !== '"') return at;
  }
  return undefined;
}

function snakeCase(text: string): string {
  return text
    .trim()
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replaceAll(/[^\p{L}\d]+/gu, '_')
    .replace(/^_|_$/g, '');
}
