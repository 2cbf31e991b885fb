import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFill, type PendingRecord } from './fill.js';
import type { Generated } from './generate.js';
import type { GenerateOptions } from './options.js';

/** How often the records that are due are written, in milliseconds. */
const intervalMs = 1_000;

/**
 * Appends records to generated logs as time passes, as dense as before. Ends with the returned function,
 * or when a file cannot be written, which calls `onFailure`.
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
        // At once: nothing is left to write when the folder is removed at the end.
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

/** Returns the function that gives the records between its calls; `now` in unix microseconds. */
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
