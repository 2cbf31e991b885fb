import { ScriptFault } from './script-function.js';

/** A JSON value: the text of a scalar as it is written, an array, or an object. */
export type Json = string | Json[] | Map<string, Json>;

/** BigQuery's limit for a JSON value. */
const maxDepth = 500;

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
const string = /"(?:[^"\\]|\\.)*"/sy;
const word = /[^,\]} \t\n\r]+/y;

function readValue(reader: Reader, depth: number): Json {
  const first = next(reader);
  if (first !== '[' && first !== '{') return take(reader, first === '"' ? string : word);
  if (depth >= maxDepth) throw new ScriptFault(`JSON is nested deeper than ${maxDepth} levels`);
  return first === '[' ? readArray(reader, depth + 1) : readObject(reader, depth + 1);
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

function readArray(reader: Reader, depth: number): Json {
  const elements: Json[] = [];
  readItems(reader, ']', () => elements.push(readValue(reader, depth)));
  return elements;
}

function readObject(reader: Reader, depth: number): Json {
  const members = new Map<string, Json>();
  readItems(reader, '}', () => {
    const name = JSON.parse(take(reader, string)) as string;
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

/** Writes a tree as JSON text, with the members of objects sorted by name, as BigQuery does. */
export function printTree(json: Json): string {
  if (typeof json === 'string') return json;
  if (Array.isArray(json)) return `[${json.map(printTree).join(',')}]`;
  const members = [...json].sort(([a], [b]) => compareCodePoints(a, b));
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${printTree(value)}`).join(',')}}`;
}

/** Orders texts by their bytes in UTF-8. */
function compareCodePoints(a: string, b: string): number {
  if (!/[\ud800-\udfff]/.test(a + b)) return a < b ? -1 : Number(a > b);
  return Buffer.from(a).compare(Buffer.from(b));
}
