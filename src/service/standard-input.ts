import { once } from 'node:events';
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

/** The file that holds standard input, removed when the process exits. */
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
 * Writes an input to a temporary file for as long as it goes on, and returns the path as soon as the file shows what its lines
 * are, or after a second. When the file holds half of what may be kept, it becomes `stdin.1`, in place of the one before.
 */
export async function followInput(input: Readable, keptBytes = maxBytes): Promise<string> {
  const file = makeFile();
  const shown = new AbortController();
  const isShown = once(shown.signal, 'abort');
  void write(input, { file, keptBytes, onShown: () => shown.abort() });
  await isShown;
  return file;
}

interface Writing {
  readonly file: string;
  readonly keptBytes: number;
  readonly onShown: () => void;
}

async function write(input: Readable, { file, keptBytes, onShown }: Writing): Promise<void> {
  let held: Buffer[] | undefined = [];
  let isLate = false;
  let [bytes, last] = [0, 10];
  const append = (chunk: Buffer) => {
    const end = chunk.lastIndexOf(10) + 1;
    const isFull = bytes + end >= keptBytes / 2 && end > 0;
    appendFileSync(file, isFull ? chunk.subarray(0, end) : chunk);
    bytes += chunk.length;
    if (!isFull) return;
    renameSync(file, `${file}.1`);
    writeFileSync(file, chunk.subarray(end), { mode: 0o600 });
    bytes = chunk.length - end;
  };
  const release = () => {
    if (held === undefined) return;
    append(Buffer.concat(held));
    held = undefined;
    onShown();
  };
  setTimeout(() => {
    isLate = true;
    if (held?.length === 0) onShown();
    else release();
  }, recognizeMs);
  for await (const chunk of input) {
    last = chunk.at(-1) ?? last;
    if (held === undefined) append(chunk);
    else if (held.push(chunk) === 1 && isLate) setTimeout(release, recognizeMs);
    if (held !== undefined && Buffer.concat(held).length >= recognizeBytes) release();
  }
  release();
  // The last line is complete now.
  if (last !== 10) appendFileSync(file, '\n');
}
