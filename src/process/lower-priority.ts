import { readdirSync } from 'node:fs';
import { setPriority } from 'node:os';
import { ignoreErrors } from './ignore-errors.js';

/** The niceness of child processes, so that the server still responds while all cores are busy. */
const childNiceness = 5;

/** Lowers the priority of this process: on Linux, of each thread, from which threads created later inherit it. */
export function lowerPriority(): void {
  const threads = ignoreErrors(() => readdirSync('/proc/self/task').map(Number));
  for (const thread of threads ?? [process.pid]) {
    // The thread may have ended, or the system may not allow it.
    ignoreErrors(() => setPriority(thread, childNiceness));
  }
}
