import { brotliCompressSync, brotliDecompressSync, constants, crc32 } from 'node:zlib';

/** A record: its time in unix microseconds, its project if it has one, and the JSON text of each column. */
export interface EncodedRow {
  readonly time: bigint;
  readonly project: string | null;
  readonly values: readonly string[];
}

/** How many rows a block has at most: with more, it compresses better, but takes longer to read. */
export const blockRows = 128;
/** A block with as many characters of values has no more rows. */
export const blockLength = 262_144;

/** Some rows of one project, newest first, in a file. */
export interface StoredBlock {
  readonly project: string | null;
  /** The newest and the oldest instant, in unix microseconds. */
  readonly start: bigint;
  readonly end: bigint;
  /** Where the block begins in its file, in bytes. */
  readonly position: number;
  /** The sizes of its parts in bytes: the times, then each column. */
  readonly sizes: readonly number[];
  /** The size of the columns before they were compressed. */
  readonly rawBytes: number;
  /** The CRC-32 of its bytes. */
  readonly checksum: number;
}

/** A block that was read. */
export interface Block {
  readonly times: BigInt64Array;
  /** The JSON texts of a column in UTF-8, a text for each row. */
  column(index: number): readonly Uint8Array[];
}

/** Above this quality, a block becomes hardly smaller, but takes three times as long to write. */
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

/** Encodes rows of one project, newest first, for a position in a file. */
export function encodeBlock(
  rows: readonly EncodedRow[],
  position: number,
): { readonly block: StoredBlock; readonly bytes: Uint8Array } {
  const times = BigInt64Array.from(rows, ({ time }) => time);
  const columns = (rows[0]?.values ?? []).map((_, column) =>
    Buffer.from(rows.map(({ values }) => values[column]).join('\n')),
  );
  const parts = [new Uint8Array(times.buffer), ...columns].map((part) =>
    brotliCompressSync(part, quality),
  );
  const bytes = Buffer.concat(parts);
  const block = {
    project: rows[0]?.project ?? null,
    start: times[0] ?? 0n,
    end: times.at(-1) ?? 0n,
    position,
    sizes: parts.map(({ byteLength }) => byteLength),
    rawBytes: columns.reduce((sum, { byteLength }) => sum + byteLength, 0),
    checksum: crc32(bytes),
  };
  return { block, bytes };
}

/** The size of a block in bytes. */
export function sizeOf({ sizes }: StoredBlock): number {
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Reads a block from its bytes. @throws Error if they are damaged */
export function decodeBlock({ sizes, checksum }: StoredBlock, bytes: Uint8Array): Block {
  if (crc32(bytes) !== checksum) throw new Error('a block is damaged');
  const parts = partsOf(bytes, sizes);
  const [first = bytes] = parts;
  const raw = brotliDecompressSync(first);
  // Copied, because 64-bit numbers must be aligned.
  const times = new BigInt64Array(Uint8Array.from(raw).buffer);
  return {
    times,
    column(index) {
      const part = parts[index + 1];
      if (part === undefined) throw new Error(`a block has no column ${index}`);
      return linesOf(brotliDecompressSync(part), times.length);
    },
  };
}

function partsOf(bytes: Uint8Array, sizes: readonly number[]): readonly Uint8Array[] {
  let start = 0;
  return sizes.map((size) => {
    start += size;
    return bytes.subarray(start - size, start);
  });
}

function linesOf(texts: Buffer, count: number): readonly Uint8Array[] {
  let start = 0;
  return Array.from({ length: count }, () => {
    const end = texts.indexOf('\n', start);
    const text = texts.subarray(start, end === -1 ? texts.length : end);
    start = end + 1;
    return text;
  });
}
