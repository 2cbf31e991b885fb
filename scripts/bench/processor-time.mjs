import { setTimeout as sleep } from 'node:timers/promises';
import { processThreads, processTree, readProc } from './process-tree.mjs';

/** The processor time of processes that are quiet, in milliseconds of a second. */
const quietMs = 50;

/** The time that processes may take to become quiet, in seconds. */
const maxSeconds = 900;

/** The processor time of a process and its descendants, in milliseconds, with the children that they have waited for. @param {number} pid */
export function treeCpuMs(pid) {
  return processTree(pid).reduce(
    (sum, each) => sum + processCpuMs(each) + exitedChildrenMs(each),
    0,
  );
}

/** The processor time of the children of a process that have exited, and of theirs, to ten milliseconds. @param {number} pid */
export function exitedChildrenMs(pid) {
  return statFieldsMs(pid, 13, 15);
}

/** Waits until a process and its descendants have been quiet for a second; their processor time before that second. @param {number} pid */
export async function untilQuiet(pid) {
  for (let seconds = 0; seconds < maxSeconds; seconds += 1) {
    const before = treeCpuMs(pid);
    await sleep(1_000);
    if (treeCpuMs(pid) - before <= quietMs) return before;
  }
  throw new Error(`the processes still work after ${maxSeconds} seconds`);
}

/**
 * The processor time of one process. The clocks of its threads are exact, but without the threads that have ended; the
 * clock of the process has those, and is rounded down to ten milliseconds.
 * @param {number} pid
 */
function processCpuMs(pid) {
  const threads = processThreads(pid).map((thread) => readProc(`${pid}/task/${thread}/schedstat`));
  const ns = threads.reduce((sum, text) => sum + Number(text.split(' ')[0]), 0);
  return Math.max(ns / 1e6, statFieldsMs(pid, 11, 13));
}

/** The sum of fields of /proc/PID/stat in milliseconds, see proc_pid_stat(5). @param {number} pid @param {number} first @param {number} end */
function statFieldsMs(pid, first, end) {
  // The second field is the program's name, and may hold anything.
  const fields = readProc(`${pid}/stat`).split(') ').at(-1)?.split(' ') ?? [];
  return fields.slice(first, end).reduce((sum, ticks) => sum + 10 * Number(ticks), 0);
}
