import { ignoreErrors } from '../../process/ignore-errors.js';
import { endOfString, endOfToken, isEnd } from '../json-raw.js';
import type { FormName, Kind, Kinds, MemberOptions } from '../member-options.js';
import { doubleText, normalizeJson } from '../normalize-json.js';
import { parseNumber } from './decimal.js';
import { general } from './format-row.js';
import { remember } from './script-function.js';

/** A position in JSON text, and how to print the scalars there. */
interface Reader {
  readonly text: string;
  readonly form: Form;
  at: number;
}

/**
 * Prints the members of a log's record that have a value, without braces: `{"a":null,"b":{"c":1}}` -> `"b":[{"c":1}]`.
 * A record outside a list is an array of one element.
 * @param text what DuckDB's `to_json` prints for the record
 * @param options the {@link MemberOptions}, as JSON
 */
export function undeclaredMembers(text: string, options: string): string {
  const { form, kinds } = readOptions(options);
  return text === 'null' ? '' : readMembers({ text, form: forms[form], at: 0 }, kinds);
}

const readOptions = remember((options): MemberOptions => JSON.parse(options));

function readMembers(reader: Reader, kinds: Kinds | undefined): string {
  const { text } = reader;
  let members = '';
  readItems(reader, () => {
    const nameAt = reader.at;
    const valueAt = endOfString(text, nameAt) + 1;
    reader.at = valueAt;
    const kind = kinds && kindAt(kinds, text.slice(nameAt, valueAt - 1));
    const value = readValue(reader, kind);
    if (value === 'null' || value === '[]') return;
    const shown = value.startsWith('{') ? `[${value}]` : value;
    members += `${members && ','}${text.slice(nameAt, valueAt)}${shown}`;
  });
  return members;
}

function kindAt(kinds: Kinds, key: string): Kind | undefined {
  const name: string = JSON.parse(key);
  return Object.hasOwn(kinds, name) ? kinds[name] : undefined;
}

/** Reads a value, and leaves the reader behind it. */
function readValue(reader: Reader, kind: Kind | undefined): string {
  const { text, at } = reader;
  if (text[at] === '{') {
    return `{${readMembers(reader, typeof kind === 'object' ? kind : undefined)}}`;
  }
  if (text[at] === '[') {
    const elements: string[] = [];
    readItems(reader, () => elements.push(readValue(reader, kind)));
    return `[${elements.join(',')}]`;
  }
  reader.at = endOfToken(text, at);
  const token = text.slice(at, reader.at);
  if (token.startsWith('"')) return reader.form.string?.(token) ?? token;
  return reader.form.omitsOthers ? 'null' : printOther(token, kind, reader.form);
}

/** Calls `read` at each item of a container; DuckDB prints no blanks. */
function readItems(reader: Reader, read: () => void): void {
  do {
    reader.at += 1;
    if (!isEnd(reader.text, reader.at)) read();
  } while (!isEnd(reader.text, reader.at));
  reader.at += 1;
}

/** How a form prints scalars; without a function, they stay as DuckDB prints them. */
interface Form {
  readonly string?: (token: string) => string;
  /** Set if only strings are printed. */
  readonly omitsOthers?: true;
  readonly quotesWide?: true;
  readonly double?: (token: string) => string;
  /** Prints a NUMERIC, unless it is whole and `quotesWide` is set. */
  readonly numeric?: (digits: string) => string;
}

const forms: Readonly<Record<FormName, Form>> = {
  answer: { numeric: quoted },
  strings: { omitsOthers: true },
  text: { string: escapeSeparators, quotesWide: true, double: printDouble, numeric: quoted },
  value: { double: valueDouble, numeric: rounded },
  'wide value': { quotesWide: true, double: valueDouble, numeric: unlessRounded },
};

/** Prints a scalar other than a string. */
function printOther(token: string, kind: Kind | undefined, form: Form): string {
  if (token === 'true' && kind === 'empty') return '{}';
  if (/^[tfn]/.test(token)) return token;
  if (/^-?[NI]/.test(token)) return quoted(token);
  const isNumeric = kind === 'NUMERIC';
  const digits = isNumeric ? token.replace(/\.?0+$/, '') : token;
  const isWhole = /^-?\d+$/.test(digits);
  if (isWhole && form.quotesWide) return isWide(digits) ? quoted(digits) : digits;
  if (isNumeric) return form.numeric?.(digits) ?? digits;
  return isWhole ? digits : (form.double?.(token) ?? token);
}

function quoted(text: string): string {
  return `"${text}"`;
}

/** Whether a double cannot represent an integer. */
function isWide(digits: string): boolean {
  return digits.length > 15 && BigInt(digits.replace('-', '')) > 2n ** 53n;
}

function unlessRounded(digits: string): string {
  const isExact = digits.length <= 16 || ignoreErrors(() => normalizeJson(digits, 'exact'));
  return isExact ? digits : quoted(digits);
}

function rounded(digits: string): string {
  return digits.length <= 16 ? digits : normalizeJson(digits, 'round');
}

/** Prints a double of a JSON value. */
function valueDouble(token: string): string {
  return Math.abs(Number(token)) < 1e15 ? doubleText(Number(token)) : printDouble(token);
}

function escapeSeparators(token: string): string {
  return token.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
}

/** Prints a double with 15 digits if they suffice, else 17. */
function printDouble(token: string): string {
  const value = Number(token);
  const number = parseNumber(token, true);
  if ('special' in number) return token;
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value + 0);
  const short = general(number, 15);
  const digits = Number(short) === Math.abs(value) ? short : general(number, 17);
  return value < 0 ? `-${digits}` : digits;
}
