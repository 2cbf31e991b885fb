import { appendFileSync, createWriteStream, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { makeTemporaryFolder } from './temporary-folder.js';

/** How much shows what the lines are, in bytes, and how long to wait for it, in milliseconds. */
const recognizeBytes = 65_536;
const recognizeMs = 1_000;

/** How much of an input without end is kept, in bytes; then the older half goes. */
const maxBytes = 1024 ** 3;

const newline = 10;

/** Makes a file that is removed when the process exits. */
function makeFile(): string {
  const file = join(makeTemporaryFolder(), 'stdin');
  writeFileSync(file, '', { mode: 0o600 });
  return file;
}

/** Reads an input to its end, into a temporary file, whose path is returned. @throws an error of the system */
export async function readInput(input: Readable): Promise<string> {
  const file = makeFile();
  await pipeline(input, createWriteStream(file, { flags: 'a' }));
  return file;
}

/**
 * Writes an input to a temporary file for as long as it goes on, and resolves to the path when the file shows what its lines
 * are, or after a second. The beginning is written at once, not in parts.
 */
export function followInput(input: Readable, keptBytes = maxBytes): Promise<string> {
  const file = makeFile();
  const append = createAppend(file, keptBytes);
  let head: Buffer | undefined = Buffer.alloc(0);
  return new Promise((resolve) => {
    const release = () => {
      if (head !== undefined) append(head);
      head = undefined;
      clearInterval(timer);
      resolve(file);
    };
    const timer = setInterval(() => {
      if (head?.length === 0) resolve(file);
      else release();
    }, recognizeMs);
    input.on('data', (chunk: Buffer) => {
      if (head === undefined) return append(chunk);
      head = Buffer.concat([head, chunk]);
      if (head.length >= recognizeBytes) release();
    });
    input
      .on('error', () => {})
      .once('close', () => {
        release();
        // The last line is complete now.
        append(Buffer.from([newline]));
      });
  });
}

/** Returns a function that appends to a file; when that holds half of what is kept, it becomes the older half. */
function createAppend(file: string, keptBytes: number): (chunk: Buffer) => void {
  let bytes = 0;
  return (chunk) => {
    const end = chunk.lastIndexOf(newline) + 1;
    const isFull = end > 0 && bytes + chunk.length >= keptBytes / 2;
    appendFileSync(file, isFull ? chunk.subarray(0, end) : chunk);
    bytes += chunk.length;
    if (!isFull) return;
    renameSync(file, `${file}.1`);
    writeFileSync(file, chunk.subarray(end), { mode: 0o600 });
    bytes = chunk.length - end;
  };
}
