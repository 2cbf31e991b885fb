import { endOfString, endOfToken } from './json-raw.js';

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

/**
 * The complete elements at the start of a JSON array that may be cut off anywhere, or the values of an object, up to
 * `max`: `[1,{"n":2},{"n"` -> `['1', '{"n":2}']`. What follows is not read; names need not be valid.
 */
export function firstElements(text: string, max: number): readonly string[] {
  return readSlices(text, max, () => '').map(({ raw }) => raw);
}

function readSlices(
  text: string,
  max: number,
  read: (raw: string) => string,
): readonly JsonSlice[] {
  const slices: JsonSlice[] = [];
  let name = '';
  for (const { raw, end } of pieces(text)) {
    if (slices.length === max) break;
    if (end === ':') name = read(raw);
    else if (raw !== '') slices.push({ name, raw });
  }
  return slices;
}

const maxDepth = 64;
const maxMembers = 1_000;

/**
 * Parses JSON of a stranger.
 * @throws SyntaxError also for deep nesting, on which JSON.parse is slow, and for more than 1,000 members of all objects, on
 * which validation is
 */
export function parseShallow(text: string): unknown {
  let [depth, members] = [0, 0];
  for (let at = 0; at < text.length; at = endOfToken(text, at)) {
    const code = text.charCodeAt(at);
    if (code === codes.openObject || code === codes.openArray) depth += 1;
    if (code === codes.closeObject || code === codes.closeArray) depth -= 1;
    if (code === codes.colon) members += 1;
    if (depth > maxDepth || members > maxMembers)
      throw new SyntaxError('too many brackets or members');
  }
  return JSON.parse(text);
}

/** The text of a scalar: a string without its quotes and escapes, anything else as it is written. */
export function scalarText(raw: string): string {
  return raw.startsWith('"') ? JSON.parse(raw) : raw;
}

/** Checks the first character: JSON.parse would accept other values too, and is slow on thousands of brackets. */
function readName(raw: string): string {
  if (!raw.startsWith('"')) throw new SyntaxError('a name must be a string');
  return JSON.parse(raw);
}

const codes = {
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openArray: 0x5b,
  closeArray: 0x5d,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

/** The text before each colon, comma and closing bracket of the outermost object or array. */
function* pieces(text: string): Generator<{ readonly raw: string; readonly end: string }> {
  let depth = 0;
  let start = text.search(/[{[]/) + 1;
  // Each row of a large table passes here: numbers are compared several times as fast as characters.
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === codes.quote) {
      at = endOfString(text, at) - 1;
      continue;
    }
    const isClosing = code === codes.closeObject || code === codes.closeArray;
    if (isClosing) depth -= 1;
    else if (code === codes.openObject || code === codes.openArray) depth += 1;
    const isDivider = code === codes.comma || code === codes.colon;
    const isEnd = isClosing ? depth === 0 : depth === 1 && isDivider;
    if (!isEnd) continue;
    yield { raw: text.slice(start, at).trim(), end: text.charAt(at) };
    start = at + 1;
  }
}
