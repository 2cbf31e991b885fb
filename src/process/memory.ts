import { readFileSync } from 'node:fs';
import { ignoreErrors } from './ignore-errors.js';
import { memorySignal } from './process-end.js';
import { endNow } from './task-child.js';

/** The interval between checks of memory, in milliseconds; the event loop stays free while DuckDB works. */
const watchMs = 20;

/**
 * Ends this process as soon as it exceeds the limit during some work, which can allocate more every millisecond.
 * `peakGrowth` returns the most by which its memory has grown during the work, in bytes.
 */
export async function withinOwnMemory<T>(
  maxResidentBytes: number,
  work: (peakGrowth: () => number) => Promise<T>,
): Promise<T> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const measure = () => {
    peak = Math.max(peak, process.memoryUsage.rss());
    return peak;
  };
  const timer = setInterval(() => {
    if (measure() <= maxResidentBytes) return;
    process.kill(process.pid, memorySignal);
    // The signal may be late.
    endNow();
  }, watchMs);
  return work(() => measure() - before).finally(() => clearInterval(timer));
}

/** Calls `onExceeded` while a process exceeds the limit, until it is ended. */
export function watchMemory(
  pid: number | undefined,
  maxResidentBytes: number,
  onExceeded: () => void,
): { readonly wasNearLimit: () => boolean; readonly end: () => void } {
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, residentBytes(pid));
    if (peak > maxResidentBytes) onExceeded();
  }, watchMs);
  return {
    wasNearLimit: () => peak > nearLimit * maxResidentBytes,
    end: () => clearInterval(timer),
  };
}

/**
 * At this share of its limit, the system may kill a process for lack of memory before we see that it exceeds the
 * limit.
 */
const nearLimit = 0.8;

/** The resident memory of another process in bytes; 0 if the system does not show it. */
export function residentBytes(pid: number | undefined): number {
  const pages = ignoreErrors(() => readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]);
  return Number(pages ?? 0) * 4096;
}
