import { endOfToken, firstItem, isEnd, nextAfter, skipBlanks } from './json-raw.js';
import { ValueFault } from './value-fault.js';

/** BigQuery's limit for the nesting depth of a JSON value. */
export const maxJsonDepth = 500;

/** A JSON value: the text of a scalar as it is written, an array, or an object. */
export type Json = string | Json[] | Map<string, Json>;

/**
 * Parses a valid JSON text into a new tree. Numbers keep their digits; of members with the same name, the first
 * counts, as in BigQuery.
 * @throws ValueFault if it is nested too deeply
 */
export function parseTree(text: string): Json {
  return readValue({ text, at: skipBlanks(text, 0) }, 0);
}

/** A position in JSON text. */
interface Reader {
  readonly text: string;
  at: number;
}

function readValue(reader: Reader, depth: number): Json {
  const first = reader.text[reader.at];
  if (first !== '[' && first !== '{') return takeToken(reader);
  refuseBeyond(depth);
  return first === '[' ? readArray(reader, depth + 1) : readObject(reader, depth + 1);
}

/** @throws ValueFault for a container with too many others around it */
function refuseBeyond(depth: number): void {
  if (depth >= maxJsonDepth)
    throw new ValueFault(`JSON is nested deeper than ${maxJsonDepth} levels`);
}

function takeToken(reader: Reader): string {
  const { text, at } = reader;
  reader.at = endOfToken(text, at);
  return text.slice(at, reader.at);
}

function readArray(reader: Reader, depth: number): Json {
  const elements: Json[] = [];
  readItems(reader, () => elements.push(readValue(reader, depth)));
  return elements;
}

function readObject(reader: Reader, depth: number): Json {
  const members = new Map<string, Json>();
  readItems(reader, () => {
    const raw = takeToken(reader);
    const name: string = raw.includes('\\') ? JSON.parse(raw) : raw.slice(1, -1);
    reader.at = skipBlanks(reader.text, skipBlanks(reader.text, reader.at) + 1);
    const value = readValue(reader, depth);
    if (!members.has(name)) members.set(name, value);
  });
  return members;
}

/** Reads the items between brackets; calls `read` at each item. */
function readItems(reader: Reader, read: () => void): void {
  const { text } = reader;
  reader.at = firstItem(text, reader.at);
  while (!isEnd(text, reader.at)) {
    read();
    reader.at = nextAfter(text, reader.at);
  }
  reader.at++;
}

/**
 * Prints a tree as JSON text, with the members of objects sorted by name, as BigQuery does.
 * @param print prints a scalar, or a name; by default unchanged
 * @throws ValueFault if it is nested too deeply
 */
export function printTree(json: Json, print = (scalar: string) => scalar, depth = 0): string {
  if (typeof json === 'string') return print(json);
  refuseBeyond(depth);
  const printChild = (child: Json) => printTree(child, print, depth + 1);
  if (Array.isArray(json)) return `[${json.map(printChild).join(',')}]`;
  const names = [...json.keys()].sort(compareCodePoints);
  const members = names.map((name) => {
    return `${print(JSON.stringify(name))}:${printChild(json.get(name) ?? 'null')}`;
  });
  return `{${members.join(',')}}`;
}

/** Compares strings by code points, which is the order of their UTF-8 bytes. */
export function compareCodePoints(a: string, b: string): number {
  let at = 0;
  while (at < a.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return rank(a.charCodeAt(at)) - rank(b.charCodeAt(at));
}

/** Returns the rank of a code unit in code point order: surrogates come after all others, the end before. */
function rank(code: number): number {
  if (!(code >= 0xd800)) return Number.isNaN(code) ? -1 : code;
  return code < 0xe000 ? code + 0x2000 : code - 0x800;
}
