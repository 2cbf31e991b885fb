import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { printSize } from '../../common/print-size.js';
import { createLineMapper, createRecordMapper } from '../shapes/map-line.js';
import type { Mapping } from '../shapes/mapping.js';
import { createTextReader, fileTime, type TextReader } from '../shapes/read-text.js';
import { readChunks } from './chunks.js';
import type { LogFile } from './files.js';

/** The longest line that can be mapped, in bytes: half of Node's longest string, because mapping can make it longer. */
const maxLineBytes = 268_435_456;

const byteOrderMark = Buffer.from('\ufeff').toString('latin1');

/** A file to map, and when it was last written, in milliseconds since 1970. */
export type MappedFile = Pick<LogFile, 'path' | 'compression' | 'writtenMs'>;

/**
 * Writes the lines of a file with the columns of its source to another file; each stays on its line. Returns whether the records
 * have the time of the file, because none has one.
 * @throws an error of zlib or the system, or an error for a line that is too long
 */
export async function mapLines(file: MappedFile, mapping: Mapping, path: string): Promise<boolean> {
  const { takesFileTime = false, ...reader } = await createReader(file, mapping);
  await pipeline(mapped(file, reader), createWriteStream(path, { mode: 0o600 }));
  return takesFileTime;
}

async function createReader(
  file: MappedFile,
  mapping: Mapping,
): Promise<TextReader & { readonly takesFileTime?: boolean }> {
  const { text } = mapping;
  const { writtenMs = Date.now() } = file;
  if (text === undefined) {
    const reader = createJsonReader(createLineMapper(mapping));
    if (!mapping.takesFileTime || (await hasRecord(file, reader, '{"timestamp"'))) return reader;
    const records = await countRecords(file, reader);
    const mapLine = createLineMapper(mapping, (index) => fileTime({ writtenMs, records }, index));
    return { ...createJsonReader(mapLine), takesFileTime: records > 0 };
  }
  const write = createRecordMapper(mapping);
  const offset = mapping.timezone === undefined ? 'Z' : '';
  const read = (records = 0) => createTextReader(text, write, { writtenMs, records, offset });
  if (text.hasTime) return read();
  const records = await countRecords(file, read());
  return { ...read(records), takesFileTime: records > 0 };
}

function createJsonReader(mapLine: (line: string) => string): TextReader {
  return { read: (line) => `${mapLine(line)}\n`, end: () => '' };
}

async function* readRecords(file: MappedFile, reader: TextReader): AsyncGenerator<string> {
  for await (const lines of mapped(file, reader))
    yield* lines
      .toString('latin1')
      .split('\n')
      .filter((line) => line.startsWith('{'));
}

async function countRecords(file: MappedFile, reader: TextReader): Promise<number> {
  let records = 0;
  for await (const _ of readRecords(file, reader)) records += 1;
  return records;
}

/** Whether a file has a record that is written like this; reads no more than it must. */
async function hasRecord(file: MappedFile, reader: TextReader, start: string): Promise<boolean> {
  for await (const record of readRecords(file, reader)) if (record.startsWith(start)) return true;
  return false;
}

async function* mapped(
  file: Pick<LogFile, 'path' | 'compression'>,
  { read, end }: TextReader,
): AsyncGenerator<Buffer> {
  let isStart = true;
  let rest = '';
  for await (const [chunk] of readChunks(file)) {
    const text = chunk.toString('latin1');
    // Only the new text is searched: a line may take many chunks.
    const from = isStart && text.startsWith(byteOrderMark) ? byteOrderMark.length : 0;
    const [ended = '', ...lines] = text.slice(from).split('\n');
    isStart = false;
    rest += ended;
    if (rest.length > maxLineBytes)
      throw new Error(`a line is longer than ${printSize(maxLineBytes)}`);
    const next = lines.pop();
    if (next === undefined) continue;
    const done = [rest, ...lines].map(read).join('');
    rest = next;
    yield Buffer.from(done, 'latin1');
  }
  const last = rest === '' ? end() : `${read(rest)}${end()}`.replace(/\n$/, '');
  yield Buffer.from(last, 'latin1');
}
