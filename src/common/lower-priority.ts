import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';

/** The niceness of child processes, so that the server still responds while all cores are busy. */
const childNiceness = 5;

/** Lowers the priority of this process: on Linux, of each thread, from which threads created later inherit it. */
export function lowerPriority(): void {
  for (const thread of threads()) {
    try {
      setPriority(thread, childNiceness);
    } catch {
      // The thread has ended, or the system does not allow it.
    }
  }
}

function threads(): readonly number[] {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch {
    return [process.pid];
  }
}
