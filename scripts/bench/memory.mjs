import { readdirSync, readFileSync } from 'node:fs';

/**
 * The most memory of a process and all below it, looked at twenty times a second.
 * @typedef {object} Peak
 * @property {number} one bytes of the largest process (VmHWM)
 * @property {number} sum bytes of all at one time (VmRSS)
 */

/** @param {number} pid @returns {() => Peak} ends the watch */
export function watchMemory(pid) {
  let one = 0;
  let sum = 0;
  const look = () => {
    const tree = treeOf(pid);
    one = Math.max(one, ...tree.map((each) => statusOf(each, 'VmHWM')));
    sum = Math.max(
      sum,
      tree.reduce((total, each) => total + statusOf(each, 'VmRSS'), 0),
    );
  };
  const timer = setInterval(look, 50);
  return () => {
    look();
    clearInterval(timer);
    return { one, sum };
  };
}

/** @param {number} pid @returns {readonly number[]} */
function treeOf(pid) {
  return [pid, ...childrenOf(pid).flatMap(treeOf)];
}

/** Of all its threads. @param {number} pid @returns {readonly number[]} */
function childrenOf(pid) {
  const tasks = attempt(() => readdirSync(`/proc/${pid}/task`)) ?? [];
  return tasks.flatMap((task) => {
    const text = attempt(() => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')) ?? '';
    return text.split(' ').filter(Boolean).map(Number);
  });
}

/** Bytes. @param {number} pid @param {string} name */
function statusOf(pid, name) {
  const text = attempt(() => readFileSync(`/proc/${pid}/status`, 'utf8')) ?? '';
  return 1024 * Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0);
}

/** A process may end while it is looked at. @template T @param {() => T} work */
function attempt(work) {
  try {
    return work();
  } catch {
    return undefined;
  }
}
