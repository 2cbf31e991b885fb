import { compareCodePoints, maxJsonDepth } from '../../common/normalize-json.js';
import { ScriptFault } from './script-function.js';

/** A JSON value: the text of a scalar as it is written, an array, or an object. */
export type Json = string | Json[] | Map<string, Json>;

/**
 * Reads a valid JSON text into a tree of its own. Numbers keep their digits; of members with the same
 * name, the first counts, as in BigQuery.
 * @throws ScriptFault if it is nested too deeply
 */
export function parseTree(text: string): Json {
  return readValue({ text, at: 0 }, 0);
}

/** A position in a text. */
interface Reader {
  readonly text: string;
  at: number;
}

const blanks = /[ \t\n\r]*/y;
const word = /[^,\]} \t\n\r]+/y;

function readValue(reader: Reader, depth: number): Json {
  const first = next(reader);
  if (first !== '[' && first !== '{')
    return first === '"' ? takeString(reader) : take(reader, word);
  refuseBeyond(depth);
  return first === '[' ? readArray(reader, depth + 1) : readObject(reader, depth + 1);
}

/** @throws ScriptFault for a container that has too many others around it */
function refuseBeyond(depth: number): void {
  if (depth >= maxJsonDepth)
    throw new ScriptFault(`JSON is nested deeper than ${maxJsonDepth} levels`);
}

/** The next character that is not blank. */
function next(reader: Reader): string {
  take(reader, blanks);
  return reader.text.charAt(reader.at);
}

function take(reader: Reader, pattern: RegExp): string {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.text)?.[0];
  if (found === undefined) throw new Error(`not JSON at ${reader.at}`);
  reader.at += found.length;
  return found;
}

/** A string as it is written. A regular expression would fail on a string of some megabytes. */
function takeString(reader: Reader): string {
  const { text, at } = reader;
  let end = at + 1;
  while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
  reader.at = end + 1;
  return text.slice(at, end + 1);
}

function readArray(reader: Reader, depth: number): Json {
  const elements: Json[] = [];
  readItems(reader, ']', () => elements.push(readValue(reader, depth)));
  return elements;
}

function readObject(reader: Reader, depth: number): Json {
  const members = new Map<string, Json>();
  readItems(reader, '}', () => {
    const name = JSON.parse(takeString(reader)) as string;
    next(reader);
    reader.at++;
    const value = readValue(reader, depth);
    if (!members.has(name)) members.set(name, value);
  });
  return members;
}

/** Reads what is between brackets; `read` is called at each item. */
function readItems(reader: Reader, close: string, read: () => void): void {
  reader.at++;
  while (next(reader) !== close) {
    read();
    if (next(reader) !== ',') continue;
    reader.at++;
    next(reader);
  }
  reader.at++;
}

/**
 * Writes a tree as JSON text, with the members of objects sorted by name, as BigQuery does.
 * @throws ScriptFault if it is nested too deeply
 */
export function printTree(json: Json): string {
  return printValue(json, 0);
}

function printValue(json: Json, depth: number): string {
  if (typeof json === 'string') return json;
  refuseBeyond(depth);
  const print = (child: Json) => printValue(child, depth + 1);
  if (Array.isArray(json)) return `[${json.map(print).join(',')}]`;
  const members = [...json].sort(([a], [b]) => compareCodePoints(a, b));
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${print(value)}`).join(',')}}`;
}
