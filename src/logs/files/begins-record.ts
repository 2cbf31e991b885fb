import { cleaned, createMatcher, matchLine } from '../shapes/match-line.js';
import { isLastPart } from '../shapes/read-text.js';
import type { Groups } from '../shapes/record-time.js';
import type { TextShape } from '../shapes/text-shape.js';
import { readBytes, withFile } from './file-state.js';
import type { LogFile } from './files.js';
import { chooseText } from './recognize-shape.js';

/** The maximum number of bytes to read before and after a position, to find the lines there. */
const maxBytes = 65_536;

/**
 * Whether the lines after a position, which is the end of a line, can be read on their own: lines of text may
 * continue the record before.
 * @throws a system error if the file cannot be read
 */
export function beginsRecord(file: LogFile, position: number): boolean {
  const { path } = file;
  const text = chooseText(file);
  if (text === undefined) return true;
  // The header names the columns.
  if (text.table?.header !== undefined) return false;
  // Lines of other programs may continue on the next lines, even in a file of one-line records.
  const isOneLine = text.others === 'skip' && text.besides.length === 0;
  if (isOneLine && text.also.length === 0) return true;
  if (text.parts !== undefined)
    return endsRecords(text, linesIn(path, position - maxBytes, position));
  const line =
    linesIn(path, position, position + maxBytes).find((each) => each.trim() !== '') ?? '';
  const how = { hasPending: true };
  if (line === '') return true;
  const { found, more } = matchLine(line, createMatcher(text), how);
  if (typeof found !== 'object') return isOneLine && more === undefined;
  const { name = '', values = [] } = text.attach ?? {};
  return !values.includes(found[name] ?? '');
}

/** Whether the last line of each stream is the last part of a record. */
function endsRecords(shape: TextShape, lines: readonly string[]): boolean {
  const { begin } = createMatcher(shape);
  const lastParts = new Map<string | undefined, Groups>();
  for (const found of lines.map((line) => begin(line))) {
    if (typeof found === 'object') lastParts.set(found[shape.parts?.by ?? ''], found);
  }
  const last = [...lastParts.values()];
  return last.length > 0 && last.every((groups) => isLastPart(shape, groups));
}

function linesIn(path: string, from: number, to: number): readonly string[] {
  const bytes = withFile(path, (fd) => readBytes(fd, Math.max(from, 0), to));
  return bytes.toString().split('\n').map(cleaned);
}
