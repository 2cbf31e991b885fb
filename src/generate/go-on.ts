import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFill, type PendingRecord } from './fill.js';
import type { Generated } from './generate.js';
import type { GenerateOptions } from './options.js';

/** The interval between writes of the records that are due, in milliseconds. */
const intervalMs = 1_000;

/**
 * Continues generated logs in real time, at the same density. The returned function stops it. If a file cannot be
 * written, it stops and calls `onFailure`.
 */
export function goOn(
  generated: Generated,
  { folder, seed }: Pick<GenerateOptions, 'folder' | 'seed'>,
  onFailure: (error: unknown) => void,
): () => void {
  const due = createDue(generated);
  const print = createFill(seed);
  const timer = setInterval(() => {
    try {
      for (const record of due(Date.now() * 1000)) {
        // Written synchronously: nothing is pending when the folder is removed at the end.
        appendFileSync(join(folder, `${record.template.source}.ndjson`), print(record));
      }
    } catch (error) {
      clearInterval(timer);
      onFailure(error);
    }
  }, intervalMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Creates a function that returns the records since its last call; `now` in unix microseconds. */
export function createDue({ end, nextMinute, recordsAt }: Generated) {
  let until = end;
  let waiting: readonly number[] = [];
  return (now: number): readonly PendingRecord[] => {
    while (until <= now) {
      const minute = nextMinute();
      waiting = [...waiting, ...minute.moments];
      until = minute.end;
    }
    const due = waiting.filter((at) => at <= now);
    waiting = waiting.slice(due.length);
    return due.flatMap(recordsAt);
  };
}
