import { readFileSync } from 'node:fs';

/**
 * The start time of a process as text, including the system's boot id, so that it tells apart processes that
 * had the same id. Undefined if the process has ended, or on any system but Linux.
 * @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
export function startOf(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // The second field, a name, may contain blanks and parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return endedStates.has(state) ? undefined : `${boot} ${fields[18]}`;
  } catch {
    return undefined;
  }
}

/** States of a process that has ended but whose exit code nobody has read yet. */
const endedStates: ReadonlySet<string> = new Set(['Z', 'X']);

/** Whether the process with this id and start time is running, as far as the system shows it. */
export function isRunning(pid: number, start: string | undefined): boolean {
  if (!processExists(pid)) return false;
  // Systems that do not show our own start time show no other either.
  return start === undefined || startOf(process.pid) === undefined || startOf(pid) === start;
}

/** Whether a process with this id is visible from here. */
export function processExists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
