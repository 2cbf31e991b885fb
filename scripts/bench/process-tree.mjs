import { readdirSync, readFileSync } from 'node:fs';

/** A process and its descendants. @param {number} pid @returns {readonly number[]} */
export function processTree(pid) {
  return [pid, ...childProcesses(pid).flatMap(processTree)];
}

/** The threads of a process; none if it has exited. @param {number} pid @returns {readonly string[]} */
export function processThreads(pid) {
  return attempt(() => readdirSync(`/proc/${pid}/task`)) ?? [];
}

/** The text of a file below /proc; empty if the process has exited. @param {string} path */
export function readProc(path) {
  return attempt(() => readFileSync(`/proc/${path}`, 'utf8')) ?? '';
}

/** The children started by any of its threads. @param {number} pid @returns {readonly number[]} */
function childProcesses(pid) {
  return processThreads(pid).flatMap((thread) => {
    const text = readProc(`${pid}/task/${thread}/children`);
    return text.split(' ').filter(Boolean).map(Number);
  });
}

/** Ignores failures: a process may exit while it is read. @template T @param {() => T} read */
function attempt(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}
