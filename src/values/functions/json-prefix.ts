import { endOfString, endOfValue, isJson, pointerSteps, skipBlanks } from '../json-raw.js';

/**
 * The JSON up to the target, if found; the end of a value without it; undefined if the text is not JSON up to there.
 */
type Found = string | number | undefined;

/**
 * Returns the part of an invalid JSON text that a reader sees if it stops at the value of a pointer, like the
 * reference implementation: `{"a":[1,2],"b":3,"c` and `/a/1` -> `{"a":[null,2]}`. Null if the text is not JSON up to
 * the end of that value, or is neither an object nor an array.
 */
export function jsonUpTo(text: string, pointer: string): string | null {
  const start = skipBlanks(text, 0);
  if (text[start] !== '{' && text[start] !== '[') return null;
  const found = read(text, start, pointerSteps(pointer));
  return typeof found === 'string' ? found : null;
}

function read(text: string, at: number, steps: readonly string[]): Found {
  const [step, ...rest] = steps;
  if (step !== undefined && text[at] === '{') return readMembers(text, at, { step, rest });
  if (step !== undefined && text[at] === '[') return readElements(text, at, { step, rest });
  const end = skip(text, at);
  return end === undefined || step !== undefined ? end : text.slice(at, end);
}

/** Returns the end of a value; undefined if it is not JSON. */
function skip(text: string, at: number): number | undefined {
  const end = endOfValue(text, at);
  return isJson(text.slice(at, end)) ? end : undefined;
}

interface Steps {
  readonly step: string;
  readonly rest: readonly string[];
}

function readMembers(text: string, start: number, { step, rest }: Steps): Found {
  return readItems(text, start, (at) => {
    const nameEnd = endOfString(text, at);
    const name = text.slice(at, nameEnd);
    const colon = skipBlanks(text, nameEnd);
    if (text[at] !== '"' || text[colon] !== ':' || !isJson(name)) return undefined;
    const value = skipBlanks(text, colon + 1);
    const found = JSON.parse(name) === step ? read(text, value, rest) : skip(text, value);
    return typeof found === 'string' ? `{${name}:${found}}` : found;
  });
}

function readElements(text: string, start: number, { step, rest }: Steps): Found {
  let index = 0;
  return readItems(text, start, (at) => {
    const found = `${index}` === step ? read(text, at, rest) : skip(text, at);
    if (typeof found === 'string') return `[${'null,'.repeat(index)}${found}]`;
    index += 1;
    return found;
  });
}

/** Reads the items of a container, until one is not JSON or contains the target. */
function readItems(text: string, start: number, readItem: (at: number) => Found): Found {
  const close = text[start] === '{' ? '}' : ']';
  let at = skipBlanks(text, start + 1);
  if (text[at] === close) return at + 1;
  for (;;) {
    const found = readItem(at);
    if (typeof found !== 'number') return found;
    at = skipBlanks(text, found);
    if (text[at] === close) return at + 1;
    if (text[at] !== ',') return undefined;
    at = skipBlanks(text, at + 1);
  }
}
