/**
 * Reads parts of JSON texts without changing their numbers. The texts are those that DuckDB accepts: they may have a
 * comma after the last item. They may also have NaN and infinity, which are not JSON: a value that ends after the
 * first of them is not found. A pointer is a JSON pointer, or `$` for the whole text.
 */

import { ignoreErrors } from '../process/ignore-errors.js';

/** Returns the text at a pointer, without blanks; null if there is nothing. */
export function partAt(text: string, pointer: string): string | null {
  const at = find(text, pointer);
  if (at === undefined) return null;
  const end = endOfValue(text, at);
  return hasOtherWord(text, end) ? null : compact(text.slice(at, end));
}

/** Returns the elements of the array at a pointer, as a JSON array of strings. */
export function elementsAt(text: string, pointer: string): string | null {
  const elements = elementTexts(text, pointer);
  return elements === null ? null : JSON.stringify(elements);
}

/**
 * Returns the elements of an array of scalars in the same way, but strings without quotes; null for any other value.
 */
export function scalarsAt(text: string, pointer: string): string | null {
  const elements = elementTexts(text, pointer);
  if (elements === null || elements.some((one) => /^[[{]/.test(one))) return null;
  return JSON.stringify(elements.map(parseScalar));
}

const otherWord = /^-?(?:nan|inf(?:inity)?)$/i;

/** Whether JSON may contain NaN or infinity; only false is certain. */
export function mayHoldWord(text: string): boolean {
  return /nan|inf/i.test(text);
}

/** Replaces NaN and infinities with 0, so that the text is standard JSON: `{"a":NaN}` -> `{"a":0}`. */
export function withoutWords(text: string): string {
  let printed = '';
  for (let at = 0; at < text.length; ) {
    const end = endOfToken(text, at);
    const token = text.slice(at, end);
    printed += otherWord.test(token.trim()) ? '0' : token;
    at = end;
  }
  return printed;
}

/** Whether NaN or infinity occurs before this position. */
function hasOtherWord(text: string, end: number): boolean {
  const head = text.slice(0, end);
  return mayHoldWord(head) && withoutWords(head) !== head;
}

function parseScalar(text: string): string | null {
  if (text === 'null') return null;
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}

function elementTexts(text: string, pointer: string): readonly string[] | null {
  const start = find(text, pointer);
  if (start === undefined || text[start] !== '[') return null;
  if (hasOtherWord(text, endOfValue(text, start))) return null;
  return containerItems(text, start).map(({ at, end }) => compact(text.slice(at, end)));
}

/** Prints a step of a pointer: `a/b` -> `/a~1b`. */
export function pointerStep(name: string): string {
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/** Returns the names and indexes of a pointer. */
export function pointerSteps(pointer: string): readonly string[] {
  const steps = pointer.split('/').slice(1);
  return steps.map((step) =>
    step.includes('~') ? step.replaceAll('~1', '/').replaceAll('~0', '~') : step,
  );
}

/** Returns the start of the value at a pointer. */
function find(text: string, pointer: string): number | undefined {
  let at: number | undefined = skipBlanks(text, 0);
  for (const step of pointerSteps(pointer)) {
    at = text[at] === '{' ? findMember(text, at, step) : findElement(text, at, step);
    if (at === undefined) return undefined;
  }
  return at;
}

/** Returns the start of the value of the first member with this name. */
function findMember(text: string, start: number, name: string): number | undefined {
  for (let at = firstItem(text, start); !isEnd(text, at); at = nextItem(text, at)) {
    const nameAt = at;
    const nameEnd = endOfString(text, at);
    at = skipBlanks(text, skipBlanks(text, nameEnd) + 1);
    if (isString(text.slice(nameAt, nameEnd), name)) return at;
  }
  return undefined;
}

/** Returns a pointer to the first member of an object with this lower-case name; null if there is none. */
export function memberPointer(text: string, lower: string): string | null {
  const start = skipBlanks(text, 0);
  if (text[start] !== '{') return null;
  for (let at = firstItem(text, start); !isEnd(text, at); at = nextItem(text, at)) {
    const end = endOfString(text, at);
    const written = text.slice(at, end);
    const name = ignoreErrors((): string => JSON.parse(written));
    at = skipBlanks(text, skipBlanks(text, end) + 1);
    if (name?.toLowerCase() === lower) return pointerStep(name);
  }
  return null;
}

/** Whether a string is standard JSON. */
export function isJson(text: string): boolean {
  return ignoreErrors(() => JSON.parse(text)) !== undefined;
}

/** Whether a JSON string, as written, has the given value. */
function isString(written: string, value: string): boolean {
  if (written.includes('\\')) return JSON.parse(written) === value;
  return written.length === value.length + 2 && written.startsWith(value, 1);
}

/** Returns the start of the element at an index. */
function findElement(text: string, start: number, index: string): number | undefined {
  if (text[start] !== '[' || !/^\d+$/.test(index)) return undefined;
  let at = firstItem(text, start);
  for (let i = 0; i < Number(index) && !isEnd(text, at); i++) at = nextItem(text, at);
  return isEnd(text, at) ? undefined : at;
}

/** A member of an object or an element of an array: its name as written, which is empty in an array, and its value. */
interface JsonItem {
  readonly key: string;
  readonly at: number;
  readonly end: number;
}

/** Returns the first items of the container that begins here, at most `max`. */
export function containerItems(text: string, start: number, max = Number.POSITIVE_INFINITY) {
  const isObject = text.charCodeAt(start) === openObject;
  const items: JsonItem[] = [];
  for (let at = firstItem(text, start); items.length < max && !isEnd(text, at); ) {
    const keyEnd = isObject ? endOfValue(text, at) : at;
    const key = text.slice(at, keyEnd);
    const value = isObject ? skipBlanks(text, skipBlanks(text, keyEnd) + 1) : at;
    const end = endOfValue(text, value);
    items.push({ key, at: value, end });
    at = nextAfter(text, end);
  }
  return items;
}

/** Returns the start of the first item of a container, or the container's end. */
export function firstItem(text: string, start: number): number {
  return skipBlanks(text, start + 1);
}

/** Returns the start of the item after this value, or the end of the container. */
function nextItem(text: string, at: number): number {
  return nextAfter(text, endOfValue(text, at));
}

/** Returns the same as {@link nextItem}, given the end of the value. */
export function nextAfter(text: string, valueEnd: number): number {
  const end = skipBlanks(text, valueEnd);
  return text.charCodeAt(end) === comma ? skipBlanks(text, end + 1) : end;
}

/** Whether a container ends here. */
export function isEnd(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === closeArray || code === closeObject || Number.isNaN(code);
}

const [quote, backslash, colon] = [0x22, 0x5c, 0x3a];
const [plus, comma, minus, point, zero] = [0x2b, 0x2c, 0x2d, 0x2e, 0x30];
const [openArray, closeArray, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Returns the end of a value. Does not recurse into containers, so they may be deeply nested. */
export function endOfValue(text: string, start: number): number {
  let at = start;
  let depth = 0;
  do {
    const code = text.charCodeAt(at);
    if (code === openArray || code === openObject) depth++;
    if (code === closeArray || code === closeObject) depth--;
    at = endOfToken(text, at);
    if (depth > 0) at = skipBlanks(text, at);
  } while (depth > 0 && at < text.length);
  return at;
}

/** Finds what {@link compact} changes; also finds some strings that only look like it. */
const spare = /\\|[[{,:]\s|\s[\]},:]|,[\]}]/;

/** Prints a value without blanks; its strings have only necessary escapes. */
export function compact(value: string): string {
  if (!spare.test(value)) return value;
  let printed = '';
  // Everything before this index has been printed.
  let kept = 0;
  for (let at = 0; at < value.length; ) {
    const end = endOfToken(value, at);
    const next = skipBlanks(value, end);
    const text = value.charCodeAt(at) === quote ? value.slice(at, end) : '';
    const isEscaped = text.includes('\\');
    const isSpare = value[at] === ',' && isEnd(value, next);
    if (isEscaped || isSpare || next > end) {
      const token = isEscaped ? JSON.stringify(JSON.parse(text)) : value.slice(at, end);
      printed += value.slice(kept, at) + (isSpare ? '' : token);
      kept = next;
    }
    at = next;
  }
  return printed + value.slice(kept);
}

/** Returns the end of the string, number, word or sign that begins here. */
export function endOfToken(text: string, at: number): number {
  if (text.charCodeAt(at) === quote) return endOfString(text, at);
  let end = at;
  while (end < text.length && !isSign(text.charCodeAt(end))) end++;
  return end === at ? at + 1 : end;
}

/** Whether a number or a word ends before this character: all other signs occur in numbers. */
function isSign(code: number): boolean {
  if (code < zero) return code !== plus && code !== minus && code !== point;
  return (
    code === colon ||
    (code >= openArray && code <= closeArray) ||
    code === openObject ||
    code === closeObject
  );
}

/** Returns the index after the closing quote of a string; the length of the text if the string is truncated. */
export function endOfString(text: string, at: number): number {
  let end = text.indexOf('"', at + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return (end < 0 ? text.length : end) + 1;
}

/** Whether the character at an index is escaped. */
export function isEscaped(text: string, at: number): boolean {
  let slash = at - 1;
  while (text.charCodeAt(slash) === backslash) slash -= 1;
  return (at - slash) % 2 === 0;
}

/** Returns the index of the next character that is not a blank. */
export function skipBlanks(text: string, from: number): number {
  let at = from;
  let code = text.charCodeAt(at);
  while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
    code = text.charCodeAt(++at);
  }
  return at;
}
