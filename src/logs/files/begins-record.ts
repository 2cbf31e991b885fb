import { cleaned, createMatcher } from '../shapes/read-text.js';
import { readBytes, withFile } from './file-state.js';
import type { LogFile } from './files.js';
import { chooseText } from './recognize-shape.js';

/** How many bytes after a position are read, for its first line. */
const maxBytes = 65_536;

/**
 * Whether the lines of a file after a position, which is the end of a line, can be read by themselves: lines of text may go
 * on the record before.
 * @throws an error of the system if the file cannot be read
 */
export function beginsRecord(file: LogFile, position: number): boolean {
  const { path } = file;
  const text = chooseText(file);
  if (text === undefined || text.others === 'skip') return true;
  // A part of a record may be before it.
  if (text.parts !== undefined) return false;
  const line = lineAt(path, position);
  const { first, also } = createMatcher(text);
  const found = line === '' || also(line) !== undefined ? undefined : first(line);
  if (typeof found !== 'object') return line === '';
  const { name = '', values = [] } = text.attach ?? {};
  return !values.includes(found[name] ?? '');
}

/** The first line after a position that is not blank; empty if there is none. */
function lineAt(path: string, position: number): string {
  const bytes = withFile(path, (fd) => readBytes(fd, position, position + maxBytes));
  const lines = bytes.toString().split('\n').map(cleaned);
  return lines.find((line) => line.trim() !== '') ?? '';
}
