import { existsSync, readFileSync } from 'node:fs';

/** Whether the system tells of processes as Linux does; what looks at them needs it. */
export const hasProc = existsSync(`/proc/${process.pid}/task/${process.pid}/children`);

/** The processes that a server has started as the hidden verb, and that are not gone. */
export function childrenOf(
  pid: number,
  verb: 'engine' | 'compile' | 'load' = 'engine',
): readonly number[] {
  const list = read(`/proc/${pid}/task/${pid}/children`);
  return list
    .split(' ')
    .filter(Boolean)
    .map(Number)
    .filter((child) => read(`/proc/${child}/cmdline`).includes(`\0${verb}\0`));
}

/** Whether a process of a number is still the hidden verb's. */
export function isLeft(pid: number): boolean {
  return /\0(?:engine|compile|load)\0/.test(read(`/proc/${pid}/cmdline`));
}

/** The processor time of a process, in hundredths of a second. */
export function workOf(pid: number): number {
  // The second field is the program's name, and may hold anything.
  const fields = read(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];
  return Number(fields[11] ?? 0) + Number(fields[12] ?? 0);
}

/** Of a process that is gone nothing is known. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
