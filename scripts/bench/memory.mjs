import { processTree, readProc } from './process-tree.mjs';

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
    const tree = processTree(pid);
    one = Math.max(one, ...tree.map((each) => statusBytes(each, 'VmHWM')));
    sum = Math.max(
      sum,
      tree.reduce((total, each) => total + statusBytes(each, 'VmRSS'), 0),
    );
  };
  const timer = setInterval(sample, 50);
  return () => {
    sample();
    clearInterval(timer);
    return { one, sum };
  };
}

/** A field of /proc/PID/status in bytes, see proc_pid_status(5). @param {number} pid @param {string} name */
function statusBytes(pid, name) {
  const text = readProc(`${pid}/status`);
  return 1024 * Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
}
