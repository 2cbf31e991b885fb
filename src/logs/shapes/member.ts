import { containerItems, skipBlanks } from '../../values/json-raw.js';

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
  return /^[ !#-[\]-~]*$/.test(text) ? `"${text}"` : encodeLine(JSON.stringify(text));
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

/** The maximum number of texts to remember; records have few different names, and follow each other in time. */
const maxRemembered = 10_000;
const maxRememberedLength = 300;

/** Returns `make` with a memory for the last texts, such as names and minutes. */
export function remembered<T>(make: (text: string) => T): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    if (known.size === maxRemembered) known.clear();
    const made = make(text);
    if (text.length <= maxRememberedLength) known.set(copied(text), made);
    return made;
  };
}

/** Returns a name as members have it. */
export const memberName = remembered((name): Omit<Member, 'raw'> => {
  return { name: name.toLowerCase(), key: quotedMember(name) };
});

/** Converts a field to a member. */
export function toMember({ name, raw }: FieldText): Member {
  const { name: lower, key } = memberName(name);
  return { name: lower, key, raw: encodeLine(raw) };
}

/** Decodes a name as written. */
export type ReadName = (key: Line) => string;

/** Decodes names as the loader compares them: by character, in lower case. */
export function createNameReader(): ReadName {
  return remembered((key) => String(JSON.parse(decodeLine(key))).toLowerCase());
}

/** The members of a valid object, which is the whole text. */
export function recordMembers(text: Line, readName: ReadName): readonly Member[] {
  const items = containerItems(text, skipBlanks(text, 0));
  return items.map(({ key, at, end }) => ({ name: readName(key), key, raw: text.slice(at, end) }));
}
