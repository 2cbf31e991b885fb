import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { endWithUs } from './end-with-us.mjs';
import { watchMemory } from './memory.mjs';
import { startService } from './service.mjs';

/** @typedef {import('./memory.mjs').Peak} Peak */
/** @typedef {import('./service.mjs').Service} Service */

/**
 * Milliseconds until it answers, or until the table is there; the most memory until then.
 * @typedef {object} Loaded
 * @property {{ readonly ms: number, readonly peak: Peak }} ours
 * @property {{ readonly ms: number, readonly peak: Peak, readonly bytes: number }} theirs
 * @property {number} secondMs until it answers when it starts again
 */

/**
 * Loads by DuckDB alone, by a first start of the service, and starts it again.
 * @param {{ readonly folder: string, readonly scratch: string, readonly memoryLimit: string }} given
 * @returns {Promise<{ readonly loaded: Loaded, readonly service: Service }>} the service that runs then
 */
export async function measureLoad({ folder, scratch, memoryLimit }) {
  const theirs = await createTable(folder, join(scratch, 'create-table.duckdb'), memoryLimit);
  const first = await startService(folder, memoryLimit);
  const ours = { ms: first.startMs, peak: first.peak };
  await first.stop();
  const service = await startService(folder, memoryLimit);
  return { loaded: { ours, theirs, secondMs: service.startMs }, service };
}

/** @param {string} folder @param {string} file @param {string} memoryLimit */
async function createTable(folder, file, memoryLimit) {
  const script = new URL('create-table.mjs', import.meta.url).pathname;
  const start = performance.now();
  const child = spawn(process.execPath, [script, folder, file, memoryLimit], { stdio: 'inherit' });
  endWithUs(child);
  const peak = watchMemory(child.pid ?? 0);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`create table as ended with code ${code}`);
  const ms = performance.now() - start;
  const { size } = statSync(file);
  rmSync(file);
  return { ms, peak: peak(), bytes: size };
}
