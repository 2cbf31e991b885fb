import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, test } from 'vitest';
import { scanFile } from '../../../src/logs/scan/scan.js';
import { createScanners, type Scanners } from '../../../src/logs/scan/scanners.js';
import { makeFolder } from '../../support/load-logs.js';
import { root } from '../../support/paths.js';

const program = join(root, 'dist/scan-worker.js');
const count = 2000;
// Some lines are deferred: a worker may have written some of them to its file before it fails.
const lines = Array.from({ length: count }, (_, index) =>
  index % 10 === 0 ? `odd ${index}` : `{"id":"${index}","timestamp":${index}}`,
);
const folder = makeFolder({ 'a.ndjson': `${lines.join('\n')}\n` });
afterAll(() => rmSync(folder, { recursive: true }));

async function scan(scanners: Scanners, name = 'a.ndjson') {
  const read = { bytes: 0, lines: 0 };
  const kind = { format: 'lines', compression: 'none' } as const;
  const file = { source: 'edge_logs', name: 'a', path: join(folder, name), ...kind };
  const deferredFile = join(folder, 'deferred');
  const onRead = (bytes: number, some: number) => {
    read.bytes += bytes;
    read.lines += some;
  };
  try {
    const found = await scanFile(
      { file, deferredFile, maxLineBytes: 10_000, onRead },
      scanners,
      5000,
    );
    return { read, lines: found?.lines, deferred: found?.deferred };
  } finally {
    rmSync(deferredFile, { force: true });
  }
}

function evaluated(code: string): () => Worker {
  const hears = `const { parentPort } = require('node:worker_threads'); ${code}`;
  return () => new Worker(hears, { eval: true });
}

const onTask = (code: string) => evaluated(`parentPort.on('message', (task) => { ${code} })`);

describe('the piece of a failing worker is scanned if', () => {
  test.each<[string, () => Worker]>([
    [
      'it cannot be started',
      () => {
        throw Object.assign(new Error('no thread'), { code: 'ERR_WORKER_INIT_FAILED' });
      },
    ],
    ['its program is missing', () => new Worker(join(folder, 'none.js'))],
    ['it exits at once', evaluated('process.exit(0)')],
    ['it exits while working', onTask('process.exit(1)')],
    ['it throws while working', onTask("throw new Error('of the worker')")],
    ['it reports that it failed', onTask('parentPort.postMessage({ failed: true })')],
    [
      'it fails halfway',
      onTask(`
        require('node:fs').writeFileSync(task.deferredFile, 'twice');
        parentPort.postMessage({ read: { bytes: 7, lines: 7 } });
        setImmediate(() => process.exit(1));`),
    ],
    [
      'it has too little memory',
      () => new Worker(program, { resourceLimits: { maxOldGenerationSizeMb: 1 } }),
    ],
  ])('%s', async (_what, start) => {
    const scanners = createScanners(3, start);
    const expected = await scan(createScanners(1));
    expect(expected).toMatchObject({ lines: count, deferred: count / 10 });
    // The next file is not given to a dead worker.
    expect(await scan(scanners)).toEqual(expected);
    expect(await scan(scanners)).toEqual(expected);
    await scanners.release();
  });
});

test('a fault of the file is thrown', async () => {
  const scanners = createScanners(3, onTask('parentPort.postMessage({ failed: true })'));
  const pieces = [0, 1, 2].map((index) => ({
    file: {
      source: 'edge_logs',
      name: 'a',
      path: join(folder, 'none'),
      format: 'lines' as const,
      compression: 'none' as const,
    },
    deferredFile: join(folder, `deferred-${index}`),
    maxLineBytes: 10_000,
    onRead: () => undefined,
  }));
  await expect(scanners.scanAll(pieces)).rejects.toThrow('ENOENT');
  await scanners.release();
});

test('only a few are started, and new ones after a release', async () => {
  let started = 0;
  const scanners = createScanners(64, () => {
    started += 1;
    return new Worker(program);
  });
  const first = await scan(scanners);
  expect([scanners.count, started]).toEqual([4, 3]);
  await scanners.release();
  expect(await scan(scanners)).toEqual(first);
  expect(started).toBe(6);
  await scanners.release();
});
