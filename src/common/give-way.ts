import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';

/** The niceness of child processes, so that the server can still answer while all cores are busy. */
const niceness = 5;

/** Lowers the priority of this process. On Linux priority belongs to threads, and a new one inherits its creator's. */
export function giveWay(): void {
  for (const thread of threads()) {
    try {
      setPriority(thread, niceness);
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
