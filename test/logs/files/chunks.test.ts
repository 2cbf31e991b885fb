import { rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import { readChunks } from '../../../src/logs/files/chunks.js';
import { makeFolder } from '../../support/load-logs.js';

const chunkBytes = 262_144;
const folders: string[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function fileOf(content: string) {
  const folder = makeFolder({ 'a.ndjson': content });
  folders.push(folder);
  const kind = { format: 'lines', compression: 'none' } as const;
  return { source: 'edge_logs', name: 'a', path: join(folder, 'a.ndjson'), ...kind };
}

/** Counts the reads of all files; the read with the given number fails. */
async function watchReads(path: string, failing = Number.POSITIVE_INFINITY) {
  const handle = await open(path);
  const prototype = Object.getPrototypeOf(handle) as typeof handle;
  await handle.close();
  const read = prototype.read;
  const counts = { reads: 0 };
  vi.spyOn(prototype, 'read').mockImplementation(function (this: typeof handle, ...given) {
    counts.reads += 1;
    if (counts.reads >= failing) return Promise.reject(new Error('EIO'));
    return read.apply(this, given as unknown as Parameters<typeof read>);
  } as typeof read);
  return counts;
}

test('a read that fails while the previous chunk is processed is thrown only to the reader', async () => {
  const file = fileOf('x'.repeat(3 * chunkBytes));
  await watchReads(file.path, 2);
  const unhandled: unknown[] = [];
  const hear = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', hear);
  const readAll = async () => {
    for await (const _chunk of readChunks(file)) await sleep(20);
  };
  await expect(readAll()).rejects.toThrow('EIO');
  process.off('unhandledRejection', hear);
  expect(unhandled).toEqual([]);
});
