import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { digestText } from './digest.js';
import { ignoreErrors } from './ignore-errors.js';

/**
 * Returns a digest of the scope in which this process's id is unique: the boot of the machine and the namespace of
 * process ids, of which each container has its own; the machine's name on systems other than Linux. 12 hexadecimal
 * digits.
 * @see https://man7.org/linux/man-pages/man7/pid_namespaces.7.html
 */
export function processSpace(): string {
  const space = ignoreErrors(() => `${readBootId()} ${readlinkSync('/proc/self/ns/pid')}`);
  return digestText(space ?? hostname()).slice(0, 12);
}

function readBootId(): string {
  return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
}

/**
 * Returns the system's boot id and the start time of a process, which together distinguish processes that reuse an
 * id. Undefined if the process has ended, or on systems other than Linux.
 * @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
export function processStart(pid: number): string | undefined {
  return ignoreErrors(() => {
    // The second field is the program's name in parentheses, which may contain blanks and parentheses itself.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return endedStates.has(state) ? undefined : `${readBootId()} ${fields[18]}`;
  });
}

/** The states of zombies: ended processes whose parents have not yet read their exit codes. */
const endedStates: ReadonlySet<string> = new Set(['Z', 'X']);

/** Whether the process with this id and {@link processStart} is running; without a start, any process with this id. */
export function isRunning(pid: number, start: string | undefined): boolean {
  if (!processExists(pid)) return false;
  // A system that does not report our start time reports no other either.
  return (
    start === undefined || processStart(process.pid) === undefined || processStart(pid) === start
  );
}

/** Whether a process with this id exists. */
export function processExists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
