import { write, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Lines are written when they reach this many characters, or after a pause. */
const fullLength = 65_536;
/** The maximum number of waiting characters; extra lines are lost. */
const maxLength = 16_777_216;
/** The time for which a line waits for others, or for a busy reader, in milliseconds. */
const pauseMs = 100;
/** The maximum wait for a reader when the process exits, in milliseconds. */
const patienceMs = 500;

/**
 * Creates an output that writes log lines to a file descriptor in batches, and the rest when the process exits. A
 * full disk or a stalled reader loses lines.
 */
export function createLogOutput(fd: number) {
  let lines = '';
  // Bytes, because a write may end within a character.
  let rest: Buffer = Buffer.alloc(0);
  let isWriting = false;
  let isDue = false;

  const length = () => lines.length + rest.length;
  /** Takes the rest of the last batch, otherwise all lines. */
  const take = (): Buffer => {
    const taken = rest.length > 0 ? rest : Buffer.from(lines);
    if (rest.length === 0) lines = '';
    rest = Buffer.alloc(0);
    return taken;
  };
  const plan = (): void => {
    if (isDue || length() === 0) return;
    isDue = true;
    const writeDue = () => {
      isDue = false;
      void writeAll();
    };
    setTimeout(writeDue, pauseMs).unref();
  };

  /**
   * Writes the waiting lines now. Lines that arrive meanwhile wait for more, so that a busy server writes large
   * batches.
   */
  async function writeAll(): Promise<void> {
    if (isWriting || length() === 0) return;
    isWriting = true;
    do {
      const bytes = take();
      const written = await writeSome(fd, bytes);
      rest = bytes.subarray(written);
      if (written === 0) await sleep(pauseMs, undefined, { ref: false });
    } while (rest.length > 0 || lines.length >= fullLength);
    isWriting = false;
    plan();
  }

  const output = {
    write(line: string): void {
      if (length() > maxLength) return;
      lines += line;
      if (lines.length >= fullLength) void writeAll();
      plan();
    },
    /** Writes the lines now. Gives up after half a second, or if nobody reads them. */
    flushSync(): void {
      const end = performance.now() + patienceMs;
      while (length() > 0 && performance.now() < end) {
        const bytes = take();
        rest = bytes.subarray(writeSomeNow(fd, bytes));
      }
    },
  };
  process.on('exit', output.flushSync);
  return output;
}

/** Returns how many bytes were written: none if the reader is busy, all if it has gone. */
function writeSome(fd: number, bytes: Buffer): Promise<number> {
  return new Promise((resolve) => {
    write(fd, bytes, (error, written) => {
      resolve(error === null ? written : lost(error, bytes));
    });
  });
}

/** Like {@link writeSome}, but synchronous; waits for a busy reader. */
function writeSomeNow(fd: number, bytes: Buffer): number {
  try {
    return writeSync(fd, bytes);
  } catch (error) {
    const count = lost(error, bytes);
    if (count === 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    return count;
  }
}

/** Returns how many bytes to give up after an error. */
function lost(error: unknown, bytes: Buffer): number {
  const isBusy = error instanceof Error && 'code' in error && error.code === 'EAGAIN';
  return isBusy ? 0 : bytes.length;
}
