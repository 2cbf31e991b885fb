import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFill, type PendingRecord } from './fill.js';
import type { Generated } from './generate.js';
import { laterMinutes } from './moments.js';
import type { GenerateOptions } from './options.js';
import { minuteMicros } from './world/world.js';

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
export function createDue({ draw, rhythm, events }: Generated): (now: number) => PendingRecord[] {
  const minutes = laterMinutes(rhythm);
  let start = rhythm.to;
  let waiting: readonly number[] = [];
  let count = events;
  let skip = 0;
  return (now) => {
    for (; start <= now; start += minuteMicros) waiting = [...waiting, ...minutes.next().value];
    const due = waiting.filter((at) => at <= now);
    waiting = waiting.slice(due.length);
    const records: PendingRecord[] = [];
    for (const at of due) {
      skip -= 1;
      if (skip >= 0) continue;
      const drawn = draw(at, count);
      records.push(...drawn);
      count += 1;
      skip = drawn.length - 1;
    }
    return records;
  };
}
