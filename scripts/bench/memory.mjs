import { readdirSync, readFileSync } from 'node:fs';

/**
 * The peak memory of a process and its descendants.
 * @typedef {object} Peak
 * @property {number} one bytes of the largest process (VmHWM)
 * @property {number} sum bytes of all processes at the same moment (VmRSS)
 */

/**
 * Samples the memory of a process and its descendants twenty times a second.
 * @param {number} pid
 * @returns {() => Peak} ends the sampling
 */
export function watchMemory(pid) {
  let one = 0;
  let sum = 0;
  const sample = () => {
    const tree = treeOf(pid);
    one = Math.max(one, ...tree.map((each) => memoryOf(each, 'VmHWM')));
    sum = Math.max(
      sum,
      tree.reduce((total, each) => total + memoryOf(each, 'VmRSS'), 0),
    );
  };
  const timer = setInterval(sample, 50);
  return () => {
    sample();
    clearInterval(timer);
    return { one, sum };
  };
}

/** The processor time of a process and its living descendants, in milliseconds, to ten. @param {number} pid */
export function cpuMsOf(pid) {
  return treeOf(pid).reduce((sum, each) => {
    // The second field is the program's name, and may hold anything.
    const text = attempt(() => readFileSync(`/proc/${each}/stat`, 'utf8')) ?? '';
    const fields = text.split(') ').at(-1)?.split(' ') ?? [];
    return sum + 10 * (Number(fields[11] ?? 0) + Number(fields[12] ?? 0));
  }, 0);
}

/** @param {number} pid @returns {readonly number[]} */
function treeOf(pid) {
  return [pid, ...childrenOf(pid).flatMap(treeOf)];
}

/** The children started by any of its threads. @param {number} pid @returns {readonly number[]} */
function childrenOf(pid) {
  const tasks = attempt(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  return tasks.flatMap((task) => {
    const text = attempt(() => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')) ?? '';
    return text.split(' ').filter(Boolean).map(Number);
  });
}

/** A field of /proc/PID/status in bytes, see proc_pid_status(5). @param {number} pid @param {string} name */
function memoryOf(pid, name) {
  const text = attempt(() => readFileSync(`/proc/${pid}/status`, 'utf8')) ?? '';
  return 1024 * Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
}

/** Ignores failures: a process may exit while it is read. @template T @param {() => T} read */
function attempt(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}
