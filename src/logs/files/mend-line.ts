import { constants, isUtf8 } from 'node:buffer';
import { endOfString, endOfToken, isEnd, skipBlanks } from '../../values/json-raw.js';
import { maxDepth } from './line-reader.js';

/** Not JSON, so that the line is counted as bad in its place. */
const notRecord = '!';
/** Stands for a line that is nested too deeply: DuckDB's JSON functions crash on such values. */
export const tooDeepMark = '!nested too deeply';

const surrogate = /\\u[dD]/;
/** Matches a carriage return inside a line. In a zstd file, DuckDB ignores the rest of such a line. */
const loneReturn = /\r(?!\n|$)/;
/** Matches characters that are blanks for DuckDB, but not in JSON. */
const otherBlank = /[\v\f]/;
const commaAtEnd = /,[ \t\r\n]*[}\]]/;

/**
 * Repairs lines that DuckDB would not read according to the standard: replaces bytes that are not UTF-8, and escapes
 * of half a surrogate pair, with U+FFFD. A line becomes one that is not JSON if it has a comma after the last item, a
 * blank that JSON does not have, a carriage return inside, or too many levels. Returns the same bytes if there is
 * nothing to repair.
 */
export function mendLines(bytes: Buffer): Buffer {
  // A line this long cannot be read.
  if (bytes.length > constants.MAX_STRING_LENGTH) return bytes;
  const isText = isUtf8(bytes);
  // Bytes other than ASCII do not matter here, and Latin-1 is the fastest to read.
  const latin = bytes.toString('latin1');
  const isFine = ![surrogate, loneReturn, otherBlank, commaAtEnd].some((each) => each.test(latin));
  if (isText && isFine && !latin.split('\n').some(isTooDeep)) return bytes;
  const text = bytes.toString();
  const mended = text.split('\n').map(mendLine).join('\n');
  return isText && mended === text ? bytes : Buffer.from(mended);
}

function mendLine(line: string): string {
  // Further records of a line that became several begin with a blank.
  const begin = line.startsWith(' ') ? ' ' : '';
  if (isTooDeep(line)) return begin + tooDeepMark;
  if (commaAtEnd.test(line) && hasCommaAtEnd(line)) return begin + notRecord;
  const start = skipBlanks(line, 0);
  let end = line.length;
  while (end > start && ' \t\r'.includes(line[end - 1] ?? '')) end -= 1;
  const inside = line.slice(start, end).replace(/[\r\v\f]/g, '\x01');
  const whole = line.slice(0, start) + inside + line.slice(end);
  const mend = (written: string, half?: string) => (half === undefined ? written : '\\ufffd');
  return surrogate.test(whole) ? whole.replace(escapes, mend) : whole;
}

/** Matches whole pairs first, then halves, then any other escape. */
const escapes =
  /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\./g;

function isTooDeep(line: string): boolean {
  let depth = 0;
  for (let at = skipBlanks(line, 0); at < line.length && depth <= maxDepth; ) {
    const isOpening = line[at] === '{' || line[at] === '[';
    if (isOpening) depth += 1;
    else if (depth === 0) return false;
    else if (line[at] === '}' || line[at] === ']') depth -= 1;
    at = line[at] === '"' ? endOfString(line, at) : at + 1;
  }
  return depth > maxDepth;
}

function hasCommaAtEnd(line: string): boolean {
  for (let at = skipBlanks(line, 0); at < line.length; ) {
    const isComma = line[at] === ',';
    at = skipBlanks(line, endOfToken(line, at));
    if (isComma && at < line.length && isEnd(line, at)) return true;
  }
  return false;
}
