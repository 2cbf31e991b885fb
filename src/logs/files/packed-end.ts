import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createInflateRaw, type InflateRaw, inflateRawSync } from 'node:zlib';
import { ignoreErrors } from '../../process/ignore-errors.js';
import type { LogFile } from './files.js';

interface Part {
  readonly path: string;
  readonly handle: FileHandle;
  readonly start: number;
  /** Its first bytes, which may contain all of it and the start of others. */
  readonly head: Buffer;
}

/**
 * For each compression, whether bytes begin a part, and a function that finds the part's end; undefined if the part is
 * truncated.
 */
const parts = {
  gzip: { isStart: (head: Buffer) => isGzip(head), findEnd: endOfMember },
  zstd: {
    isStart: (head: Buffer) => isZstd(head) || isSkippable(head),
    findEnd: async (part: Part) =>
      isSkippable(part.head) ? part.start + 8 + part.head.readUInt32LE(4) : endOfFrame(part),
  },
} as const;

/** The number of bytes of a part to read first, to find its end: enough for the name in the header of a gzip file. */
const headBytes = 16_384;

/** The number of bytes per read, which may contain many parts. */
const windowBytes = 262_144;

/**
 * Finds the byte at which the compressed data of a file ends: the members of a gzip file, or the frames of a zstd
 * file. Other bytes may follow. Returns 0 if the file does not begin with compressed data, and undefined if the data
 * is truncated. For zstd, reads only the headers.
 * @throws a system error
 */
export async function findPackedEnd(
  path: string,
  compression: Exclude<LogFile['compression'], 'none'>,
): Promise<number | undefined> {
  const { isStart, findEnd } = parts[compression];
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    let [at, from] = [0, 0];
    let window = await readBytes(handle, 0, windowBytes);
    for (;;) {
      if (at + headBytes > from + window.length)
        [from, window] = [at, await readBytes(handle, at, windowBytes)];
      const head = window.subarray(at - from);
      if (!isStart(head)) return at;
      const end = await findEnd({ path, handle, start: at, head });
      if (end === undefined || end > size) return undefined;
      at = end;
    }
  } finally {
    await handle.close();
  }
}

async function readBytes(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

/** Whether the bytes are the start of a gzip file. @see https://www.rfc-editor.org/rfc/rfc1952#section-2.3 */
export function isGzip(head: Buffer): boolean {
  return head.length > 2 && head[0] === 0x1f && head[1] === 0x8b && head[2] === 8;
}

/** Whether the bytes are the start of a zstd file. */
export function isZstd(head: Buffer): boolean {
  return head.length >= 8 && head.readUInt32LE(0) === 0xfd2fb528;
}

function isSkippable(head: Buffer): boolean {
  return head.length >= 8 && (head.readUInt32LE(0) & 0xfffffff0) >>> 0 === 0x184d2a50;
}

const flags = { checksum: 2, extra: 4, name: 8, comment: 16 } as const;
const trailerBytes = 8;

async function endOfMember({ path, start, head }: Part): Promise<number | undefined> {
  const has = (flag: keyof typeof flags) => ((head[3] ?? 0) & flags[flag]) !== 0;
  let at = 10;
  if (has('extra')) at += 2 + (head[at] ?? 0) + 256 * (head[at + 1] ?? 0);
  if (has('name')) at = head.indexOf(0, at) + 1;
  if (has('comment')) at = head.indexOf(0, at) + 1;
  if (has('checksum')) at += 2;
  const packedBytes = inflatedBytes(head.subarray(at));
  if (packedBytes !== undefined) return start + at + packedBytes + trailerBytes;
  const inflate = createInflateRaw();
  let isWhole = false;
  const source = createReadStream(path, { start: start + at });
  const read = pipeline(source, inflate, async (unpacked: AsyncIterable<Buffer>) => {
    for await (const _ of unpacked);
    isWhole = true;
  });
  // This also fails if the data ends before the file does.
  await read.catch(() => undefined);
  return isWhole ? start + at + inflate.bytesWritten + trailerBytes : undefined;
}

/** Returns the length of the compressed data at the start of some bytes; undefined if it is long or incomplete. */
function inflatedBytes(packed: Buffer): number | undefined {
  const how = { info: true, maxOutputLength: 4_194_304 };
  const result: unknown = ignoreErrors(() => inflateRawSync(packed, how));
  // Node's types lack the result of the option `info`.
  return (result as { readonly engine: InflateRaw } | undefined)?.engine.bytesWritten;
}

/**
 * Walks the blocks of a frame, reading only their headers.
 * @see https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1
 */
async function endOfFrame({ handle, start, head }: Part): Promise<number | undefined> {
  const descriptor = head.readUInt8(4);
  const isSingle = (descriptor & 0x20) !== 0;
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  let position = start + 5 + (isSingle ? 0 : 1) + dictionaryBytes + sizeBytes;
  for (;;) {
    const bytes = await readBytes(handle, position, 3);
    if (bytes.length < 3) return undefined;
    const block = bytes.readUIntLE(0, 3);
    const isRepeated = ((block >> 1) & 3) === 1;
    position += 3 + (isRepeated ? 1 : block >> 3);
    if ((block & 1) === 1) return position + ((descriptor & 4) !== 0 ? 4 : 0);
  }
}
