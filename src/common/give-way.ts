import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';

/** How much a process gives way to the server, which answers while all cores are at work. */
const niceness = 5;

/** Lowers the priority of this process. On Linux that is each thread's, and a new one has that of who starts it. */
export function giveWay(): void {
  for (const thread of threads()) {
    try {
      setPriority(thread, niceness);
    } catch {
      // A thread that has ended, or a system that does not allow it.
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
