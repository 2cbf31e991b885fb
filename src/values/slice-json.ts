import { containerItems, endOfToken, skipBlanks } from './json-raw.js';

/** A member of a JSON object or an element of an array (with an empty name), with its value as written. */
export interface JsonSlice {
  readonly name: string;
  readonly raw: string;
}

/**
 * Splits a valid JSON object or array into its members: `{"n":9007199254740993}` ->
 * `[{ name: 'n', raw: '9007199254740993' }]`. Numbers keep all their digits; `JSON.parse` would round them, and
 * Node 20 gives its reviver no access to the source text.
 * @throws SyntaxError for a name that is not a string, in invalid JSON
 */
export function sliceJson(text: string): readonly JsonSlice[] {
  return readSlices(text, Number.POSITIVE_INFINITY, readName);
}

/** The members of a JSON object by name, as they are written. */
export function sliceMembers(json: string): Readonly<Record<string, string>> {
  return Object.fromEntries(sliceJson(json).map(({ name, raw }) => [name, raw]));
}

/**
 * Returns the complete elements at the start of a JSON array that may be truncated anywhere, or the values of an
 * object, up to `max`: `[1,{"n":2},{"n"` -> `['1', '{"n":2}']`. Does not read the rest; names need not be valid.
 */
export function firstElements(text: string, max: number): readonly string[] {
  return readSlices(text, max, () => '').map(({ raw }) => raw);
}

function readSlices(
  text: string,
  max: number,
  read: (raw: string) => string,
): readonly JsonSlice[] {
  const start = text.search(/[{[]/);
  const items = start < 0 ? [] : containerItems(text, start, max);
  return items.flatMap(({ key, at, end }) => {
    const name = text[start] === '{' ? read(key) : '';
    // A value at the end of the text may be truncated.
    return skipBlanks(text, end) < text.length ? [{ name, raw: text.slice(at, end) }] : [];
  });
}

const maxDepth = 64;
const maxMembers = 1_000;

/**
 * Parses untrusted JSON.
 * @throws SyntaxError also for deep nesting, on which JSON.parse is slow, and for more than 1,000 members of all
 * objects, on which validation is slow
 */
export function parseShallow(text: string): unknown {
  let [depth, members] = [0, 0];
  for (let at = 0; at < text.length; at = endOfToken(text, at)) {
    const sign = text[at];
    if (sign === '{' || sign === '[') depth += 1;
    if (sign === '}' || sign === ']') depth -= 1;
    if (sign === ':') members += 1;
    if (depth > maxDepth || members > maxMembers)
      throw new SyntaxError('too many brackets or members');
  }
  return JSON.parse(text);
}

/** Returns the text of a scalar: a string without its quotes and escapes, anything else as written. */
export function scalarText(raw: string): string {
  return raw.startsWith('"') ? JSON.parse(raw) : raw;
}

/**
 * Parses a name. Checks the first character, because JSON.parse would accept other values too, and is slow on
 * thousands of brackets.
 */
function readName(raw: string): string {
  if (!raw.startsWith('"')) throw new SyntaxError('a name must be a string');
  return JSON.parse(raw);
}
