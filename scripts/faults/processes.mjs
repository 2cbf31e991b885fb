import { readdirSync, readFileSync } from 'node:fs';

// Reads /proc of Linux. A process that has exited has no children, files or memory.

/**
 * @template T
 * @param {() => T} read
 * @param {T} fallback if the process has exited
 * @returns {T}
 */
function readProc(read, fallback) {
  try {
    return read();
  } catch {
    return fallback;
  }
}

/** The engine processes that a server has started. @param {number} pid */
export function enginesOf(pid) {
  const read = () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return readProc(read, '').split(' ').filter(Boolean).map(Number).filter(isEngine);
}

/** Whether a process is an engine process. @param {number} pid */
export function isEngine(pid) {
  return readProc(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), '').includes('\0engine\0');
}

/** How many file descriptors a process has. @param {number} pid */
export function openFilesOf(pid) {
  return readProc(() => readdirSync(`/proc/${pid}/fd`).length, 0);
}

/** The resident memory of a process in bytes, with pages of 4 KB. @param {number} pid */
export function residentBytesOf(pid) {
  const read = () => readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1];
  return Number(readProc(read, '0')) * 4_096;
}

/**
 * Resource use of a server and of its engine processes; of these the largest values.
 * @param {number} pid
 */
export function stateOf(pid) {
  const engines = enginesOf(pid);
  const megabytesOf = (/** @type {number} */ one) => Math.round(residentBytesOf(one) / 1e6);
  return {
    engines: engines.length,
    files: openFilesOf(pid),
    filesOfEngine: Math.max(0, ...engines.map(openFilesOf)),
    megabytes: megabytesOf(pid),
    megabytesOfEngine: Math.max(0, ...engines.map(megabytesOf)),
  };
}
