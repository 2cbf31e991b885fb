import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

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
export function engineProcesses(pid) {
  return childProcesses(pid).filter(isEngine);
}

/** The compile processes that a server has started. @param {number} pid */
export function compileProcesses(pid) {
  return childProcesses(pid).filter((child) => hasVerb(child, 'compile'));
}

/** Whether a process is an engine process. @param {number} pid */
export function isEngine(pid) {
  return hasVerb(pid, 'engine');
}

/** @param {number} pid */
function childProcesses(pid) {
  const read = () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return readProc(read, '').split(' ').filter(Boolean).map(Number);
}

/** @param {number} pid @param {string} verb */
function hasVerb(pid, verb) {
  return readProc(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), '').includes(`\0${verb}\0`);
}

/** Counts the open files of a process, without sockets: idle connections of clients stay open for a while. @param {number} pid */
export function countOpenFiles(pid) {
  return readProc(() => readdirSync(`/proc/${pid}/fd`), []).filter((name) => {
    const link = readProc(() => readlinkSync(`/proc/${pid}/fd/${name}`), 'socket:');
    return !link.startsWith('socket:');
  }).length;
}

/** The resident memory of a process in bytes, with pages of 4 KB. @param {number} pid */
export function residentBytes(pid) {
  const read = () => readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1];
  return Number(readProc(read, '0')) * 4_096;
}

/**
 * Resource use of a server and of its engine processes; of these the largest values.
 * @param {number} pid
 */
export function resourceUse(pid) {
  const engines = engineProcesses(pid);
  const residentMegabytes = (/** @type {number} */ one) => Math.round(residentBytes(one) / 1e6);
  return {
    engines: engines.length,
    files: countOpenFiles(pid),
    filesOfEngine: Math.max(0, ...engines.map(countOpenFiles)),
    megabytes: residentMegabytes(pid),
    megabytesOfEngine: Math.max(0, ...engines.map(residentMegabytes)),
  };
}
