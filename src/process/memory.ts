import { readFileSync } from 'node:fs';
import { memorySignal } from './process-end.js';
import { endNow } from './task-child.js';

/** How often memory is checked, in milliseconds; the event loop stays free while DuckDB works. */
const watchMs = 20;

/** Ends this process as soon as it exceeds the limit, because a statement can allocate more every millisecond. */
export function limitOwnMemory(maxResidentBytes: number): void {
  setInterval(() => {
    if (process.memoryUsage.rss() <= maxResidentBytes) return;
    process.kill(process.pid, memorySignal);
    endNow();
  }, watchMs);
}

/** Calls `onExceeded` while a process exceeds the limit; the returned function ends that. */
export function watchMemory(
  pid: number | undefined,
  maxResidentBytes: number,
  onExceeded: () => void,
): () => void {
  const timer = setInterval(() => {
    if (residentBytes(pid) > maxResidentBytes) onExceeded();
  }, watchMs);
  return () => clearInterval(timer);
}

/** The resident memory of another process in bytes; 0 if the system does not show it. */
export function residentBytes(pid: number | undefined): number {
  try {
    const pages = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1];
    return Number(pages ?? 0) * 4096;
  } catch {
    return 0;
  }
}
