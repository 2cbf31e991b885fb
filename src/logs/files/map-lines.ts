import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createFileTimes, type FindTime, fileTime } from '../shapes/file-times.js';
import { createLineMapper, createRecordMapper } from '../shapes/map-line.js';
import type { Mapping } from '../shapes/mapping.js';
import { createTextReader, type TextFacts, type TextReader } from '../shapes/read-text.js';
import { createInZone } from '../shapes/zone.js';
import { readWholeLines } from './chunks.js';
import { byteOrderMark } from './content.js';
import type { LogFile } from './files.js';

const mark = byteOrderMark.toString('latin1');

/** A file to map, and the time at which it was last written, in milliseconds since 1970. */
export type MappedFile = Pick<LogFile, 'path' | 'compression' | 'writtenMs'>;

/**
 * Writes the lines of a file with the columns of its source to another file, without moving any to another line.
 * Returns whether records of some project get the time of the file, because none of them has its own.
 * @throws an error of zlib or the system, or an error for a line that is too long
 */
export async function mapLines(file: MappedFile, mapping: Mapping, path: string): Promise<boolean> {
  const { text, takesFileTime } = mapping;
  const { writtenMs = Date.now() } = file;
  const times = createFileTimes(writtenMs, text && fileTime(writtenMs));
  const mayLackTimes = text !== undefined || takesFileTime;
  const write = (findTime?: FindTime) => {
    const reader = createReader(mapping, { writtenMs, ...(findTime && { findTime }) });
    return pipeline(mapped(file, reader), createWriteStream(path, { mode: 0o600 }));
  };
  await write(mayLackTimes ? times.count : undefined);
  const areUsed = times.areUsed();
  if (areUsed) await write(times.give);
  return areUsed;
}

function createReader(mapping: Mapping, facts: TextFacts): TextReader {
  const { text, timezone } = mapping;
  const inZone = timezone === undefined ? {} : { inZone: createInZone(timezone) };
  if (text !== undefined)
    return createTextReader(text, createRecordMapper(mapping), { ...facts, ...inZone });
  const mapLine = createLineMapper(mapping, facts.findTime);
  return { read: (line) => `${mapLine(line)}\n`, end: () => '' };
}

async function* mapped(file: MappedFile, { read, end }: TextReader): AsyncGenerator<Buffer> {
  let isStart = true;
  let rest = '';
  for await (const bytes of readWholeLines(file)) {
    const text = bytes.toString('latin1');
    const lines = text.slice(isStart && text.startsWith(mark) ? mark.length : 0).split('\n');
    isStart = false;
    // Only the last line of the file has no line break.
    rest = lines.pop() ?? '';
    yield Buffer.from(lines.map(read).join(''), 'latin1');
  }
  const last = rest === '' ? end() : `${read(rest)}${end()}`.replace(/\n$/, '');
  yield Buffer.from(last, 'latin1');
}
