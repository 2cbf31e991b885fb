import { write, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Takes the lines of a log, and writes many of them at a time to a file descriptor. */
export interface LogOutput {
  write(line: string): void;
  /** Writes the lines now. Gives up after half a second, or if nobody reads any more. */
  flushSync(): void;
}

/** Lines are written when they have this many bytes, or after a pause. */
const fullLength = 8_192;
/** How many bytes may wait; further lines are lost. */
const maxLength = 16_777_216;
/** How long a line waits for others, and for a reader that is busy, in milliseconds. */
const pauseMs = 100;
/** How long the process waits for a reader at its end, in milliseconds. */
const patienceMs = 500;

/** Creates an output that also writes what is left when the process exits. A full disk or a stalled reader loses lines. */
export function createLogOutput(fd: number): LogOutput {
  // Bytes, not text: a write may end within a character.
  let waiting: Buffer[] = [];
  let length = 0;
  let isWriting = false;
  let isDue = false;

  const take = (): Buffer => {
    const taken = Buffer.concat(waiting);
    waiting = [];
    length = 0;
    return taken;
  };
  const putBack = (rest: Buffer): void => {
    waiting.unshift(rest);
    length += rest.length;
  };

  async function writeAll(): Promise<void> {
    isDue = false;
    if (isWriting) return;
    isWriting = true;
    while (length > 0) {
      const bytes = take();
      const written = await writeSome(fd, bytes);
      if (written < bytes.length) putBack(bytes.subarray(written));
      if (written === 0) await sleep(pauseMs, undefined, { ref: false });
    }
    isWriting = false;
  }

  const output: LogOutput = {
    write(line) {
      if (length > maxLength) return;
      const bytes = Buffer.from(line);
      waiting.push(bytes);
      length += bytes.length;
      if (length >= fullLength) void writeAll();
      if (length === 0 || isDue) return;
      isDue = true;
      setTimeout(writeAll, pauseMs).unref();
    },
    flushSync() {
      const end = performance.now() + patienceMs;
      while (length > 0 && performance.now() < end) {
        const bytes = take();
        const written = writeSomeNow(fd, bytes);
        if (written < bytes.length) putBack(bytes.subarray(written));
      }
    },
  };
  process.on('exit', output.flushSync);
  return output;
}

/** Returns how many bytes were taken: none by a reader that is busy, all by one that has gone. */
function writeSome(fd: number, bytes: Buffer): Promise<number> {
  return new Promise((resolve) => {
    write(fd, bytes, (error, written) => {
      resolve(error === null ? written : lost(error, bytes));
    });
  });
}

/** The same, waiting for a reader that is busy. */
function writeSomeNow(fd: number, bytes: Buffer): number {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    const count = lost(error, bytes);
    if (count === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    return count;
  }
}

/** How many bytes are given up after an error. */
function lost(error: unknown, bytes: Buffer): number {
  const isBusy = error instanceof Error && 'code' in error && error.code === 'EAGAIN';
  return isBusy ? 0 : bytes.length;
}
