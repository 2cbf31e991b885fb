import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { printSize } from '../../common/print-size.js';
import { createLineMapper, createRecordMapper } from '../shapes/map-line.js';
import type { Mapping } from '../shapes/mapping.js';
import { createTextReader, type TextReader } from '../shapes/read-text.js';
import type { TextShape } from '../shapes/text-shape.js';
import { readChunks } from './chunks.js';
import type { LogFile } from './files.js';

/** The longest line that can be mapped, in bytes: half of Node's longest string, because mapping can make it longer. */
const maxLineBytes = 268_435_456;

const byteOrderMark = Buffer.from('\ufeff').toString('latin1');

/** A file to map, and when it was last written, in milliseconds since 1970. */
export type MappedFile = Pick<LogFile, 'path' | 'compression' | 'writtenMs'>;

/**
 * Writes the lines of a file with the columns of its source to another file; each stays on its line.
 * @throws an error of zlib or the system, or an error for a line that is too long
 */
export async function mapLines(file: MappedFile, mapping: Mapping, path: string): Promise<void> {
  const reader = await createReader(file, mapping);
  await pipeline(mapped(file, reader), createWriteStream(path, { mode: 0o600 }));
}

async function createReader(file: MappedFile, mapping: Mapping): Promise<TextReader> {
  const { text } = mapping;
  if (text === undefined) {
    const mapLine = createLineMapper(mapping);
    return { read: (line) => `${mapLine(line)}\n`, end: () => '' };
  }
  const { writtenMs = Date.now() } = file;
  const write = createRecordMapper(mapping);
  const { otherwise = text } = text;
  const shape = otherwise === text || (await countRecords(file, text)) > 0 ? text : otherwise;
  const records = shape.hasTime ? 0 : await countRecords(file, shape);
  return createTextReader(shape, write, { writtenMs, records });
}

/** The number of records of a file whose records have no times. */
async function countRecords(file: MappedFile, text: TextShape): Promise<number> {
  let records = 0;
  const count = () => {
    records += 1;
    return '';
  };
  const reader = createTextReader(text, count, { writtenMs: 0 });
  for await (const _ of mapped(file, reader));
  return records;
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
