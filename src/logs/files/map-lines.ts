import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { printSize } from '../../common/print-size.js';
import { readChunks } from './chunks.js';
import type { LogFile } from './files.js';
import { createLineMapper } from './map-line.js';
import type { Mapping } from './mapping.js';

/** The longest line that can be mapped, in bytes: half of Node's longest string, because mapping can make it longer. */
const maxLineBytes = 268_435_456;

const byteOrderMark = Buffer.from('\ufeff').toString('latin1');

/**
 * Writes the lines of a file with the columns of its source to another file; each stays on its line.
 * @throws an error of zlib or the system, or an error for a line that is too long
 */
export async function mapLines(
  file: Pick<LogFile, 'path' | 'compression'>,
  mapping: Mapping,
  path: string,
): Promise<void> {
  await pipeline(mapped(file, mapping), createWriteStream(path, { mode: 0o600 }));
}

async function* mapped(
  file: Pick<LogFile, 'path' | 'compression'>,
  mapping: Mapping,
): AsyncGenerator<Buffer> {
  const mapLine = createLineMapper(mapping);
  let isStart = true;
  let rest = '';
  for await (const [chunk] of readChunks(file)) {
    const text = chunk.toString('latin1');
    // Only the new text is searched: a line may take many chunks.
    const from = isStart && text.startsWith(byteOrderMark) ? byteOrderMark.length : 0;
    const [end = '', ...lines] = text.slice(from).split('\n');
    isStart = false;
    rest += end;
    if (rest.length > maxLineBytes)
      throw new Error(`a line is longer than ${printSize(maxLineBytes)}`);
    const next = lines.pop();
    if (next === undefined) continue;
    const done = [rest, ...lines].map((line) => `${mapLine(line)}\n`).join('');
    rest = next;
    yield Buffer.from(done, 'latin1');
  }
  if (rest !== '') yield Buffer.from(mapLine(rest), 'latin1');
}
