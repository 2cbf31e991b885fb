import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { killOnExit } from './kill-on-exit.mjs';
import { watchMemory } from './memory.mjs';
import { exitedChildrenMs } from './processor-time.mjs';
import { startService } from './service.mjs';

/** @typedef {import('./memory.mjs').Peak} Peak */
/** @typedef {import('./service.mjs').Service} Service */

/**
 * Times of loading in milliseconds, the processor time of all processes, and peak memory.
 * @typedef {object} Loaded
 * @property {{ readonly ms: number, readonly cpuMs: number, readonly peak: Peak }} ours the first start, until the service answers; its processor time until all its processes are quiet
 * @property {{ readonly ms: number, readonly cpuMs: number, readonly peak: Peak, readonly bytes: number }} theirs DuckDB's `create table as`
 * @property {{ readonly ms: number, readonly cpuMs: number, readonly peak: Peak }} empty a start without records
 * @property {number} secondMs the second start, until the service answers
 * @property {number} bytes size of the service's disk cache
 */

/**
 * Measures loading with DuckDB alone, a start of the service without records, and a first and a second start with them.
 * @param {{ readonly folder: string, readonly scratch: string, readonly memoryLimit: string, readonly profile: string | undefined }} options
 * @returns {Promise<{ readonly loaded: Loaded, readonly service: Service }>} the service of the second start is still running, without a cache of query results
 */
export async function measureLoad({ folder, scratch, memoryLimit, profile }) {
  rmSync(cacheFolder(), { recursive: true, force: true });
  const theirs = await createTable(folder, join(scratch, 'create-table.duckdb'), memoryLimit);
  const none = join(scratch, 'no-logs');
  mkdirSync(none, { recursive: true });
  const empty = await startOnce(none, memoryLimit);
  const ours = await startOnce(folder, memoryLimit);
  const service = await startService(folder, {
    ...{ memoryLimit, profile },
    flags: ['--query-cache', '0'],
  });
  return {
    loaded: { ours, theirs, empty, secondMs: service.startMs, bytes: bytesIn(cacheFolder()) },
    service,
  };
}

/** Starts the service until it is quiet, and stops it. @param {string} folder @param {string} memoryLimit */
async function startOnce(folder, memoryLimit) {
  const service = await startService(folder, { memoryLimit });
  const { startMs: ms, peak } = service;
  const cpuMs = await service.untilQuiet();
  await service.stop();
  return { ms, cpuMs, peak };
}

/** The folder of the service's disk cache. */
function cacheFolder() {
  return join(process.env['XDG_CACHE_HOME'] ?? '', 'log-endpoints');
}

/** The size of the disk cache of a service without the newest rows. @param {string} folder @param {{ readonly scratch: string, readonly memoryLimit: string }} options */
export async function measureBytesWithoutNewest(folder, { scratch, memoryLimit }) {
  const cache = join(scratch, 'without-newest-rows');
  const flags = ['--newest-rows', '0', '--cache-dir', cache];
  const service = await startService(folder, { memoryLimit, flags });
  await service.untilQuiet();
  await service.stop();
  const bytes = bytesIn(cache);
  rmSync(cache, { recursive: true });
  return bytes;
}

/** The size of all files below a folder. @param {string} folder */
function bytesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** @param {string} folder @param {string} file @param {string} memoryLimit */
async function createTable(folder, file, memoryLimit) {
  const script = new URL('create-table.mjs', import.meta.url).pathname;
  const start = performance.now();
  const before = exitedChildrenMs(process.pid);
  const child = spawn(process.execPath, [script, folder, file, memoryLimit], { stdio: 'inherit' });
  killOnExit(child);
  const peak = watchMemory(child.pid ?? 0);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`create table as ended with code ${code}`);
  const ms = performance.now() - start;
  const cpuMs = exitedChildrenMs(process.pid) - before;
  const { size } = statSync(file);
  rmSync(file);
  return { ms, cpuMs, peak: peak(), bytes: size };
}
