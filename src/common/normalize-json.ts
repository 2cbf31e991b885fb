import { ValueFault } from './value-fault.js';
/** BigQuery's limit for how deep a JSON value is nested. */
export const maxJsonDepth = 500;

/** What becomes of a number that a FLOAT64 cannot hold exactly: it is refused, or rounded. */
export type WideNumberMode = 'exact' | 'round';

/**
 * Prints a JSON text as BigQuery prints the JSON value that it reads from it: without blanks, with the
 * members of each object sorted by name, the first of those with one name, and numbers by their values.
 * @throws ValueFault if it is not JSON, nested too deeply, or has a number that JSON values cannot hold
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/json_functions#parse_json
 */
export function normalizeJson(text: string, mode: WideNumberMode): string {
  const compare = /[\ud800-\udfff]|\\u/.test(text) ? compareCodePoints : compareCodeUnits;
  const reader = { text, at: text.startsWith('\ufeff') ? 1 : 0, mode, compare };
  const value = readValue(reader, 0);
  if (!Number.isNaN(next(reader))) throw syntaxFault();
  return value;
}

/** A position in a text. */
interface Reader {
  readonly text: string;
  readonly mode: WideNumberMode;
  readonly compare: Compare;
  at: number;
}

function syntaxFault(): ValueFault {
  return new ValueFault('Invalid input: syntax error while parsing JSON');
}

/** The codes of JSON's signs. */
const [quote, comma, minus, colon, backslash] = [0x22, 0x2c, 0x2d, 0x3a, 0x5c];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Goes to the next character that is not blank, and returns its code; NaN at the end. */
function next(reader: Reader): number {
  const { text } = reader;
  let code = text.charCodeAt(reader.at);
  while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
    code = text.charCodeAt(++reader.at);
  }
  return code;
}

function readValue(reader: Reader, depth: number): string {
  const code = next(reader);
  if (code === quote) return readString(reader).raw;
  if (code === openObject || code === openArray) {
    if (depth >= maxJsonDepth) throw tooDeep();
    return code === openObject ? readObject(reader, depth + 1) : readArray(reader, depth + 1);
  }
  return isDigit(code) || code === minus ? readNumber(reader) : readWord(reader);
}

function readWord(reader: Reader): string {
  const word = words.find((one) => reader.text.startsWith(one, reader.at));
  if (word === undefined) throw syntaxFault();
  reader.at += word.length;
  return word;
}

const words = ['true', 'false', 'null'];

/** The fault of a value in too many containers. */
export function tooDeep(): ValueFault {
  return new ValueFault(`JSON is nested deeper than ${maxJsonDepth} levels`);
}

function readArray(reader: Reader, depth: number): string {
  let elements = '';
  reader.at++;
  while (hasItem(reader, closeArray, elements === '')) {
    elements += `${elements === '' ? '' : ','}${readValue(reader, depth)}`;
  }
  return `[${elements}]`;
}

/** Whether another item follows in a container; goes to it, or behind the container. */
function hasItem(reader: Reader, close: number, isFirst: boolean): boolean {
  const code = next(reader);
  const isEnd = code === close;
  if (!isEnd && !isFirst && code !== comma) throw syntaxFault();
  if (isEnd || !isFirst) reader.at++;
  return !isEnd;
}

/** What a string is, and how it is written. */
interface JsonString {
  readonly value: string;
  readonly raw: string;
}

interface Member {
  readonly name: JsonString;
  readonly value: string;
}

function readObject(reader: Reader, depth: number): string {
  const members: Member[] = [];
  let isInOrder = true;
  reader.at++;
  while (hasItem(reader, closeObject, members.length === 0)) {
    const member = readMember(reader, depth);
    const last = members.at(-1);
    isInOrder &&= last === undefined || reader.compare(last.name.value, member.name.value) < 0;
    members.push(member);
  }
  return printMembers(isInOrder ? members : inOrder(members, reader.compare));
}

function readMember(reader: Reader, depth: number): Member {
  if (next(reader) !== quote) throw syntaxFault();
  const name = readString(reader);
  if (next(reader) !== colon) throw syntaxFault();
  reader.at++;
  return { name, value: readValue(reader, depth) };
}

function printMembers(members: readonly Member[]): string {
  let printed = '';
  for (const { name, value } of members) {
    printed += `${printed === '' ? '' : ','}${name.raw}:${value}`;
  }
  return `{${printed}}`;
}

/** Sorts members by name, and keeps the first of each name. */
function inOrder(members: readonly Member[], compare: Compare): readonly Member[] {
  const sorted = members.toSorted((a, b) => compare(a.name.value, b.name.value));
  return sorted.filter(({ name }, i) => name.value !== sorted[i - 1]?.name.value);
}

type Compare = (a: string, b: string) => number;

/** Orders texts by their code points, as their bytes in UTF-8 are ordered. */
export function compareCodePoints(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
}

/** The place of a code unit in the order of code points: surrogates are behind all others, an end before. */
function rank(code: number): number {
  if (!(code >= 0xd800)) return Number.isNaN(code) ? -1 : code;
  return code < 0xe000 ? code + 0x2000 : code - 0x800;
}

/** The same order, where no text has surrogates. */
function compareCodeUnits(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

/** A regular expression would fail on a string of some megabytes. */
function readString(reader: Reader): JsonString {
  const { text, at } = reader;
  let end = at + 1;
  let isPlain = true;
  for (let code = text.charCodeAt(end); code !== quote; code = text.charCodeAt(++end)) {
    if (!(code >= 0x20)) throw syntaxFault();
    if (code !== backslash) continue;
    isPlain = false;
    end++;
  }
  reader.at = end + 1;
  const raw = text.slice(at, end + 1);
  return isPlain ? { value: raw.slice(1, -1), raw } : decodeString(raw);
}

function decodeString(raw: string): JsonString {
  const value = parseString(raw);
  if (/[\ud800-\udfff]/.test(value) && !isWellFormed(value)) throw syntaxFault();
  return { value, raw: JSON.stringify(value) };
}

function parseString(raw: string): string {
  try {
    return JSON.parse(raw) as string;
  } catch {
    throw syntaxFault();
  }
}

/** Whether each surrogate has its other half. */
function isWellFormed(value: string): boolean {
  return !/\p{Surrogate}/u.test(value);
}

function readNumber(reader: Reader): string {
  const { text, at, mode } = reader;
  if (text[at] === '-') reader.at++;
  if (text[reader.at] === '0') reader.at++;
  else skipDigits(reader);
  const whole = reader.at;
  if (text[reader.at] === '.') {
    reader.at++;
    skipDigits(reader);
  }
  if (text[reader.at] === 'e' || text[reader.at] === 'E') {
    reader.at += /[-+]/.test(text[reader.at + 1] ?? '') ? 2 : 1;
    skipDigits(reader);
  }
  const raw = text.slice(at, reader.at);
  return reader.at === whole && isInteger(raw) ? printInteger(raw) : printDouble(raw, mode);
}

/** @throws ValueFault if there is none */
function skipDigits(reader: Reader): void {
  const from = reader.at;
  while (isDigit(reader.text.charCodeAt(reader.at))) reader.at++;
  if (reader.at === from) throw syntaxFault();
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** Whether an integer fits into 64 bits, with or without a sign; others are doubles. */
function isInteger(digits: string): boolean {
  if (digits.length < 19) return true;
  if (digits.length > 20) return false;
  const value = BigInt(digits);
  return value >= -(2n ** 63n) && value < 2n ** 64n;
}

function printInteger(digits: string): string {
  return digits === '-0' ? '0' : digits;
}

/** Numbers of up to so many characters are not changed by rounding. */
const maxExactLength = 15;

/** @throws ValueFault if the number is too large, or too precise */
function printDouble(raw: string, mode: WideNumberMode): string {
  const value = Number(raw);
  if (!Number.isFinite(value)) {
    throw new ValueFault(`Invalid input: number overflow parsing '${raw.slice(0, maxQuoted)}'`);
  }
  const printed = doubleText(value);
  const isRounded = mode === 'exact' && (value === 0 || raw.length > maxExactLength);
  if (isRounded && significant(raw) !== significant(printed)) {
    const number = raw.slice(0, maxQuoted);
    throw new ValueFault(`Input number: ${number} cannot round-trip through string representation`);
  }
  return printed;
}

const maxQuoted = 100;

/** The digits of a number without zeros at its ends. */
function significant(number: string): string {
  const [digits = ''] = number.toLowerCase().split('e');
  return trimZeros(digits.replace(/[-.]/g, ''));
}

function trimZeros(digits: string): string {
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end).replace(/^0+/, '');
}

/** From here on, and below the other, a double is printed with an exponent. */
const [large, small] = [1e15, 1e-4];

/** A double as BigQuery prints it in a JSON value: `1.0`, `0.0001`, `1e-05`, `1.5e+15`. */
function doubleText(value: number): string {
  const size = Math.abs(value);
  if (size >= large || (size < small && size > 0)) {
    return value.toExponential().replace(/e([-+])(\d)$/, 'e$10$2');
  }
  const text = Object.is(value, -0) ? '-0' : String(value);
  return text.includes('.') ? text : `${text}.0`;
}
