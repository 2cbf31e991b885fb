import * as json from '../../values/json-raw.js';

/** UTF-8 text with one character for each byte (`latin1`), so that any content is written back unchanged. */
export type Line = string;

/** A member of an object. */
export interface Member {
  /** Lower case. */
  readonly name: string;
  /** The name and the value as written. */
  readonly key: Line;
  readonly raw: Line;
}

/** A value as JSON. */
export function quotedMember(text: string): Line {
  return encodeLine(JSON.stringify(text));
}

/** Converts a string to one character per UTF-8 byte. */
export function encodeLine(text: string): Line {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are all characters of one byte.
  return /^[\x00-\x7f]*$/.test(text) ? text : Buffer.from(text).toString('latin1');
}

/** Converts one character per byte back to a string. */
export function decodeLine(line: Line): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are all characters of one byte.
  return /^[\x00-\x7f]*$/.test(line) ? line : Buffer.from(line, 'latin1').toString();
}

/** Copies a string: V8 would otherwise keep the whole string that it is a part of. */
export function copied(text: Line): Line {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

/** Returns the value of a name that might also be the name of an object's method. */
export function ownValue<T>(values: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(values, name) ? values[name] : undefined;
}

/** A field of a record not written as JSON, with its value as JSON. */
export interface FieldText {
  readonly name: string;
  readonly raw: string;
}

/** Creates a function that converts fields to members. */
export function createMemberMaker(): (field: FieldText) => Member {
  const keys = new Map<string, Pick<Member, 'name' | 'key'>>();
  return ({ name, raw }) => {
    let known = keys.get(name);
    if (known === undefined) {
      if (keys.size === maxNames) keys.clear();
      known = { name: name.toLowerCase(), key: quotedMember(name) };
      if (name.length <= maxNameLength) keys.set(copied(name), known);
    }
    return { name: known.name, key: known.key, raw: encodeLine(raw) };
  };
}

/** Decodes a name as written. */
export type ReadName = (key: Line) => string;

/** The maximum number of names to remember; records have few different ones. */
const maxNames = 10_000;
const maxNameLength = 300;

/** Decodes names as the loader compares them: by character, in lower case. */
export function createNameReader(): ReadName {
  const names = new Map<Line, string>();
  return (key) => {
    const known = names.get(key);
    if (known !== undefined) return known;
    if (names.size === maxNames) names.clear();
    const name = String(JSON.parse(Buffer.from(key, 'latin1').toString())).toLowerCase();
    if (key.length <= maxNameLength) names.set(copied(key), name);
    return name;
  };
}

/** The members of a valid object, which is the whole text. */
export function recordMembers(text: Line, readName: ReadName): readonly Member[] {
  const members: Member[] = [];
  for (let at = json.firstItem(text, json.skipBlanks(text, 0)); !json.isEnd(text, at); ) {
    const keyEnd = json.endOfString(text, at);
    const key = text.slice(at, keyEnd);
    const start = json.skipBlanks(text, json.skipBlanks(text, keyEnd) + 1);
    const end = json.endOfValue(text, start);
    members.push({ name: readName(key), key, raw: text.slice(start, end) });
    at = json.nextAfter(text, end);
  }
  return members;
}
