import { readdirSync, readFileSync } from 'node:fs';

// What Linux tells of processes; of one that is gone it tells nothing.

/**
 * @template T
 * @param {() => T} read
 * @param {T} gone
 * @returns {T}
 */
function unlessGone(read, gone) {
  try {
    return read();
  } catch {
    return gone;
  }
}

/** @param {number} pid */
export function childrenOf(pid) {
  const read = () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return unlessGone(read, '').split(' ').filter(Boolean).map(Number).filter(isEngine);
}

/** @param {number} pid */
export function isEngine(pid) {
  return unlessGone(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), '').includes('\0engine\0');
}

/** @param {number} pid */
export function openFilesOf(pid) {
  return unlessGone(() => readdirSync(`/proc/${pid}/fd`).length, 0);
}

/** @param {number} pid */
export function residentBytesOf(pid) {
  const read = () => readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1];
  return Number(unlessGone(read, '0')) * 4_096;
}

/**
 * A server and its engine processes together.
 * @param {number} pid
 */
export function stateOf(pid) {
  const engines = childrenOf(pid);
  const megabytesOf = (/** @type {number} */ one) => Math.round(residentBytesOf(one) / 1e6);
  return {
    engines: engines.length,
    files: openFilesOf(pid),
    filesOfEngine: Math.max(0, ...engines.map(openFilesOf)),
    megabytes: megabytesOf(pid),
    megabytesOfEngine: Math.max(0, ...engines.map(megabytesOf)),
  };
}
