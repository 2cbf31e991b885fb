import { endOfToken, firstItem, isEnd, nextAfter, skipBlanks } from '../../common/json-raw.js';
import { compareCodePoints, maxJsonDepth } from '../../common/normalize-json.js';
import { ValueFault } from '../../common/value-fault.js';

/** A JSON value: the text of a scalar as it is written, an array, or an object. */
export type Json = string | Json[] | Map<string, Json>;

/**
 * Reads a valid JSON text into a tree of its own. Numbers keep their digits; of members with the same
 * name, the first counts, as in BigQuery.
 * @throws ValueFault if it is nested too deeply
 */
export function parseTree(text: string): Json {
  return readValue({ text, at: skipBlanks(text, 0) }, 0);
}

/** A position in a text. */
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

/** @throws ValueFault for a container that has too many others around it */
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
    const name = JSON.parse(takeToken(reader)) as string;
    reader.at = skipBlanks(reader.text, skipBlanks(reader.text, reader.at) + 1);
    const value = readValue(reader, depth);
    if (!members.has(name)) members.set(name, value);
  });
  return members;
}

/** Reads what is between brackets; `read` is called at each item. */
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
 * Writes a tree as JSON text, with the members of objects sorted by name, as BigQuery does.
 * @throws ValueFault if it is nested too deeply
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
