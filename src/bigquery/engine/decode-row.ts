import type { FormatColumn } from '../../formats/formats.js';
import { printMicroseconds } from '../../formats/with-times.js';
import { forRanges } from '../../types/ranges.js';
import type { ScalarName, Type } from '../../types/types.js';
import type { TableField } from './table-field.js';

/** A value as BigQuery's REST API returns it: a string, or an array or struct of such values. */
export type Cell = string | null | readonly { readonly v: Cell }[] | BigQueryRow;

/** A row, or a struct: the values of its columns or fields, in order. */
export interface BigQueryRow {
  readonly f: readonly { readonly v: Cell }[];
}

/** Writes a value as JSON. */
type Print = (cell: Cell) => string;

/**
 * Returns a function that writes rows of these columns as JSON objects, in the form of responses. It expects times in
 * microseconds (`formatOptions.useInt64Timestamp`), and throws an Error for a row with other columns.
 * @param schema the columns of the answer, in the same order. Their records may have other fields than expected,
 * because a table may get new ones at any time.
 */
export function rowPrinter(
  columns: readonly FormatColumn[],
  schema: readonly TableField[] = [],
): (row: BigQueryRow) => Uint8Array {
  const print = printObject(
    columns.map((column, at) => ({ ...column, at, of: schema[at]?.fields })),
    columns.length,
  );
  return (row) => Buffer.from(print(row));
}

/** A column or a field, its position in a row, and the fields that the answer's schema lists for it. */
interface Place extends FormatColumn {
  readonly at: number;
  readonly of: Fields;
}

type Fields = readonly TableField[] | undefined;

/** Returns a function that prints a row or a struct as an object, with keys printed in advance. */
function printObject(places: readonly Place[], count: number): (row: BigQueryRow) => string {
  const members = places.map(({ name, type, at, of }) => {
    return { key: `${printText(name)}:`, at, print: cellPrinter(type, of) };
  });
  return ({ f }) => {
    if (f.length !== count) {
      throw new Error(`BigQuery returned ${f.length} values where ${count} were expected`);
    }
    const texts = members.map(({ key, at, print }) => key + print(f[at]?.v ?? null));
    return `{${texts.join(',')}}`;
  };
}

function cellPrinter(type: Type, of: Fields): Print {
  const print = presentPrinter(type, of);
  return (cell) => (cell === null ? 'null' : print(cell));
}

function presentPrinter(type: Type, of: Fields): Print {
  if (type.kind === 'ARRAY') return arrayPrinter(type.element, of);
  if (type.kind === 'STRUCT') return structPrinter(type.fields, of);
  const print = scalars[type.kind];
  return (cell) => {
    if (typeof cell !== 'string') throw new Error(`BigQuery returned no text for a ${type.kind}`);
    return print(cell);
  };
}

/** Prints arrays; an empty array is null. */
function arrayPrinter(element: Type, of: Fields): Print {
  const print = cellPrinter(element, of);
  return (cell) => {
    if (!Array.isArray(cell)) throw new Error('BigQuery returned no list for an ARRAY');
    const elements: readonly { readonly v: Cell }[] = cell;
    return elements.length === 0 ? 'null' : `[${elements.map(({ v }) => print(v)).join(',')}]`;
  };
}

/** Prints the fields of a struct that its table has; a struct without fields is null. */
function structPrinter(fields: Extract<Type, { kind: 'STRUCT' }>['fields'], of: Fields): Print {
  const shown = fields.filter(({ stored }) => stored);
  if (shown.length === 0) return () => 'null';
  const places = shown.map(({ name, type }, index): Place => {
    const at = answerFieldIndex(name, index, of);
    return { name: name || `_field_${index + 1}`, type, at, of: of?.[at]?.fields };
  });
  const print = printObject(places, of?.length ?? shown.length);
  return (cell) => {
    if (cell === null || typeof cell !== 'object' || !('f' in cell)) {
      throw new Error('BigQuery returned no fields for a STRUCT');
    }
    return print(cell);
  };
}

/**
 * Returns the position of a field in a record of the answer: by name, or the same position if the name is not unique;
 * -1 if the field is gone.
 */
function answerFieldIndex(name: string, index: number, of: Fields): number {
  const names = (of ?? []).map((field) => field.name.toLowerCase());
  const isOwn = names.filter((other) => other === name.toLowerCase()).length === 1;
  if (isOwn) return names.indexOf(name.toLowerCase());
  return of === undefined || name === '' || names.includes(name.toLowerCase()) ? index : -1;
}

const scalars: Readonly<Record<ScalarName, (text: string) => string>> = {
  BIGNUMERIC: printText,
  BOOL: (text) => text.toLowerCase(),
  BYTES: printText,
  DATE: printText,
  DATETIME: (text) => printText(withFraction(text)),
  FLOAT64: printFloat,
  INT64: (text) => text,
  INTERVAL: printText,
  JSON: printText,
  NUMERIC: printText,
  ...forRanges(() => printRange),
  STRING: printText,
  TIME: (text) => printText(withFraction(text)),
  TIMESTAMP: (text) => String(BigInt(text)),
};

/** Pads the fraction to six digits, or drops it if all are zero. */
function withFraction(time: string): string {
  const [seconds = '', fraction = ''] = time.split('.');
  return Number(fraction) === 0 ? seconds : `${seconds}.${fraction.padEnd(6, '0')}`;
}

/** Prints a range as a cast to STRING does. */
function printRange(text: string): string {
  const bounds = text.slice(1, -1).split(', ');
  return printText(`[${bounds.map(printBound).join(', ')})`);
}

/** Prints a bound of a range: `2026-03-10T12:00:00.5`, microseconds, or `UNBOUNDED`. */
function printBound(bound: string): string {
  if (/^(?:NULL|UNBOUNDED)$/i.test(bound)) return 'UNBOUNDED';
  if (/^-?\d+$/.test(bound)) {
    return `${printBound(printMicroseconds(BigInt(bound)).replace('Z', ''))}+00`;
  }
  return withFraction(bound)
    .replace('T', ' ')
    .replace(/(?<=\.\d{3})000$/, '');
}

/** Prints a FLOAT64 as DuckDB does, so that both engines return the same bytes: `100.0`, `1e21`. */
function printFloat(text: string): string {
  const value = Number(text);
  if (!Number.isFinite(value)) return printText(notFinite[text.toLowerCase()] ?? text);
  const digits = Object.is(value, -0) ? '-0' : String(value).replace('e+', 'e');
  return /[.e]/.test(digits) ? digits : `${digits}.0`;
}

const notFinite: Readonly<Record<string, string>> = {
  inf: 'Infinity',
  '+inf': 'Infinity',
  '-inf': '-Infinity',
  nan: 'NaN',
};

/** Prints a string as DuckDB does: escapes of control characters have capital letters. */
function printText(text: string): string {
  const json = JSON.stringify(text);
  if (!json.includes('\\u')) return json;
  return json.replaceAll(/\\\\|\\u[0-9a-f]{4}/g, (written) =>
    written === '\\\\' ? written : `\\u${written.slice(2).toUpperCase()}`,
  );
}
