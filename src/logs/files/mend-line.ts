import { isUtf8 } from 'node:buffer';
import { endOfToken, isEnd, skipBlanks } from '../../values/json-raw.js';
import { lineLimits } from './line-reader.js';

/** No JSON, so that the line is counted where it stands. */
const notRecord = '!';

const surrogate = /\\u[dD]/;
/** In a zstd file, DuckDB takes the rest of the line for none. */
const loneReturn = /\r(?!\n|$)/;
const commaAtEnd = /,[ \t\r\n]*[}\]]/;

/**
 * Changes lines that DuckDB would not read as the standard says: bytes that are not UTF-8, and escapes of half a
 * surrogate pair, become U+FFFD; a line with a comma after a last item, or with a carriage return in it that the scan
 * does not accept, becomes one that is not JSON. Returns the same bytes if nothing is to change.
 */
export function mendLines(bytes: Buffer): Buffer {
  // No line that is so long can be read.
  if (bytes.length > lineLimits.max) return bytes;
  const isText = isUtf8(bytes);
  // Bytes that are no ASCII do not matter here, and Latin-1 is the fastest to read.
  const latin = bytes.toString('latin1');
  const isFine = ![surrogate, loneReturn, commaAtEnd].some((each) => each.test(latin));
  if (isText && isFine) return bytes;
  const text = bytes.toString();
  const mended = text.split('\n').map(mendLine).join('\n');
  return isText && mended === text ? bytes : Buffer.from(mended);
}

function mendLine(line: string): string {
  if (commaAtEnd.test(line) && hasCommaAtEnd(line)) return notRecord;
  const whole = line.replace(/\r(?!$)/g, '\x01');
  const mend = (written: string, half?: string) => (half === undefined ? written : '\\ufffd');
  return surrogate.test(whole) ? whole.replace(escapes, mend) : whole;
}

/** Whole pairs first, then one half, then any other escape. */
const escapes =
  /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\./g;

function hasCommaAtEnd(line: string): boolean {
  for (let at = skipBlanks(line, 0); at < line.length; ) {
    const isComma = line[at] === ',';
    at = skipBlanks(line, endOfToken(line, at));
    if (isComma && at < line.length && isEnd(line, at)) return true;
  }
  return false;
}
