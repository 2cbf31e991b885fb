import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { basename } from 'node:path';

/** How much a compile worker gives way to the server's own thread when the cores are busy. */
const niceness = 5;

// On Linux a priority belongs to a thread. Elsewhere the whole server would be slowed down.
try {
  setPriority(Number(basename(readlinkSync('/proc/thread-self'))), niceness);
} catch {
  // Not Linux, or not allowed: the thread runs at the server's priority.
}
// Loading the compiler is most of the start, so it comes after the priority is set.
const { answerRequests } = await import('./compile-pool/answer-requests.js');
answerRequests();
