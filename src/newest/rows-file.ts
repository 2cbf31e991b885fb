import {
  closeSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { crc32 } from 'node:zlib';
import { type EncodedRow, encodeBlock, type StoredBlock, sizeOf } from './block.js';

// A rows file has blocks, one after another, then the index, a line for each block, then a footer. It is written under
// another name and renamed once it is complete.

/** Reads the blocks of a file, also while it is being written. */
export interface RowsReader {
  /** The index of a complete file; undefined if it is damaged. */
  index(): Promise<RowsIndex | undefined>;
  /** @throws an error of the file system */
  read(block: StoredBlock): Uint8Array;
  close(): void;
}

/** Writes a file. */
export interface RowsWriter {
  /** How many bytes and blocks were written. */
  bytes(): number;
  blocks(): number;
  /** Adds rows of one project, newest first. @throws an error of the file system */
  add(rows: readonly EncodedRow[]): StoredBlock;
  /** Adds the index, which says after which instant the rows are complete, and renames the file. @throws an error of the file system */
  finish(completeAfter: bigint): void;
  /** Removes the file, unless it is complete. */
  close(): void;
}

/** The index of a complete file. */
export interface RowsIndex {
  readonly blocks: readonly StoredBlock[];
  /** Every row of the part after this instant is in a block. */
  readonly completeAfter: bigint;
}

/** Where a file is, and the name that it has until it is complete. */
export interface RowsPath {
  readonly path: string;
  readonly building: string;
}

/** The footer: where the index begins, its CRC-32, and the mark. */
const footerBytes = 16;
const mark = 'ROWS';

/** Opens a file. @throws an error of the file system */
export function openRows(path: string): RowsReader {
  const file = openSync(path, 'r');
  return {
    index: () => readIndex(file),
    read: (block) => readAt(file, block.position, sizeOf(block)),
    close: () => closeSync(file),
  };
}

async function readIndex(file: number): Promise<RowsIndex | undefined> {
  const text = readIndexText(file);
  if (text === undefined) return undefined;
  const [completeAfter = '', ...lines] = text.split('\n');
  const blocks: StoredBlock[] = [];
  for (const line of lines) {
    blocks.push(parseBlock(line));
    if (blocks.length % parsedAtOnce === 0) await setImmediate();
  }
  return { blocks, completeAfter: BigInt(completeAfter) };
}

/** How many lines are parsed before other work has a turn. */
const parsedAtOnce = 2_000;

function readIndexText(file: number): string | undefined {
  try {
    const { size } = fstatSync(file);
    const footer = readAt(file, size - footerBytes, footerBytes);
    if (footer.toString('latin1', 12) !== mark) return undefined;
    const position = Number(footer.readBigUInt64LE(0));
    const index = readAt(file, position, size - footerBytes - position);
    return crc32(index) === footer.readUInt32LE(8) ? index.toString() : undefined;
  } catch {
    return undefined;
  }
}

/** @throws Error if the file ends before */
function readAt(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  const read = readSync(file, bytes, 0, length, position);
  if (read < length) throw new Error('the file of the newest rows is too short');
  return bytes;
}

/** Creates a file. @throws an error of the file system */
export function createRows({ path, building }: RowsPath): RowsWriter {
  const file = openSync(building, 'wx', 0o600);
  const lines: string[] = [];
  let size = 0;
  const append = (bytes: Uint8Array) => {
    for (let done = 0; done < bytes.byteLength; ) {
      done += writeSync(file, bytes, done, bytes.byteLength - done, size + done);
    }
    size += bytes.byteLength;
  };
  let isComplete = false;
  return {
    bytes: () => size,
    blocks: () => lines.length,
    add(rows) {
      const { block, bytes } = encodeBlock(rows, size);
      append(bytes);
      lines.push(printBlock(block));
      return block;
    },
    finish(completeAfter) {
      const index = Buffer.from([String(completeAfter), ...lines].join('\n'));
      const footer = Buffer.alloc(footerBytes);
      footer.writeBigUInt64LE(BigInt(size), 0);
      footer.writeUInt32LE(crc32(index), 8);
      footer.write(mark, 12, 'latin1');
      append(index);
      append(footer);
      fsyncSync(file);
      renameSync(building, path);
      isComplete = true;
    },
    close() {
      closeSync(file);
      if (!isComplete) rmSync(building, { force: true });
    },
  };
}

function printBlock({ project, start, end, ...block }: StoredBlock): string {
  const { position, checksum, rawBytes, sizes } = block;
  const times = [String(start), String(end)];
  return JSON.stringify([project, ...times, position, checksum, rawBytes, ...sizes]);
}

function parseBlock(line: string): StoredBlock {
  const [project, start, end, position, checksum, rawBytes, ...sizes] = JSON.parse(line);
  const times = { start: BigInt(start), end: BigInt(end) };
  return { project, ...times, position, checksum, rawBytes, sizes };
}
