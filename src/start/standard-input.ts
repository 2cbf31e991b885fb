import { appendFileSync, createWriteStream, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { makeTemporaryFolder } from './temporary-folder.js';

/** The number of bytes needed to recognize the lines, and the maximum wait for them, in milliseconds. */
const recognizeBytes = 65_536;
const recognizeMs = 1_000;

/** The maximum bytes to keep of an endless input; beyond that, the older half is dropped. */
const maxBytes = 1024 ** 3;

const newline = 10;

/** Creates a file that is removed when the process exits. */
function makeFile(): string {
  const file = join(makeTemporaryFolder(), 'stdin');
  writeFileSync(file, '', { mode: 0o600 });
  return file;
}

/** Reads an input to its end into a temporary file, and returns its path. @throws a system error */
export async function readInput(input: Readable): Promise<string> {
  const file = makeFile();
  await pipeline(input, createWriteStream(file, { flags: 'a' }));
  return file;
}

/**
 * Writes an input to a temporary file as it arrives; resolves to the path once the file suffices to recognize its
 * lines, or after a second.
 */
export function followInput(input: Readable, keptBytes = maxBytes): Promise<string> {
  const file = makeFile();
  const append = createAppend(file, keptBytes);
  let bytes = 0;
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, recognizeMs, file);
    const add = (chunk: Buffer, isEnd = false) => {
      append(chunk);
      bytes += chunk.length;
      if (isEnd) clearTimeout(timer);
      if (isEnd || bytes >= recognizeBytes) resolve(file);
    };
    input
      .on('data', (chunk: Buffer) => add(chunk))
      .on('error', () => {})
      // The last line is now complete.
      .once('close', () => add(Buffer.from([newline]), true));
  });
}

/**
 * Returns a function that appends to a file; when the file holds half of the bytes to keep, it becomes the older
 * half.
 */
function createAppend(file: string, keptBytes: number): (chunk: Buffer) => void {
  let bytes = 0;
  return (chunk) => {
    const end = chunk.lastIndexOf(newline) + 1 || chunk.length;
    const isFull = bytes + chunk.length >= keptBytes / 2;
    try {
      appendFileSync(file, isFull ? chunk.subarray(0, end) : chunk);
    } catch {
      // The disk may be full: keep the bytes written so far.
      return;
    }
    bytes += chunk.length;
    if (!isFull) return;
    renameSync(file, `${file}.1`);
    writeFileSync(file, chunk.subarray(end), { mode: 0o600 });
    bytes = chunk.length - end;
  };
}
