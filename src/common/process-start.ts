import { readFileSync } from 'node:fs';

/**
 * When a process began, as text, with the boot of the system in it: no other process of its number has
 * the same. Undefined where the system does not say, as all but Linux, or where it has ended.
 * @see https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
 */
export function startOf(pid: number): string | undefined {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    // The second field is a name, which may have blanks and parentheses in it.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return hasEnded.has(state) ? undefined : `${boot} ${fields[18]}`;
  } catch {
    return undefined;
  }
}

/** A process of which only the exit code is left, for which nobody has asked yet, still has its number. */
const hasEnded: ReadonlySet<string> = new Set(['Z', 'X']);

/** Whether a process of the number runs that began at the given time, as far as the system says. */
export function isRunning(pid: number, start: string | undefined): boolean {
  if (!hasNumber(pid)) return false;
  // Where our own start is not told, that of nobody is.
  return start === undefined || startOf(process.pid) === undefined || startOf(pid) === start;
}

/** Whether some process has the number, as far as can be seen from here. */
export function hasNumber(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
