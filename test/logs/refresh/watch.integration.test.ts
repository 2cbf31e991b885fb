import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Watching, watchFolder } from '../../../src/logs/refresh/watch.js';

let folder = '';
let watching: Watching | undefined;
let changes = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'watch-'));
  watching = watchFolder(folder, () => {
    changes += 1;
  });
});
afterAll(async () => {
  await watching?.close();
  rmSync(folder, { recursive: true });
});

const write = () => appendFileSync(join(folder, 'app.log'), 'a line\n');
const isReported = (since: number) =>
  expect.poll(() => changes, { timeout: 5_000, interval: 5 }).toBeGreaterThan(since);

test('each write is reported, also a few milliseconds after another one', async () => {
  // The watch is ready.
  await isReported(0);
  write();
  await sleep(500);
  for (const afterMs of [10, 20, 30, 40, 60]) {
    write();
    await sleep(afterMs);
    const before = changes;
    write();
    await isReported(before);
    await sleep(200);
  }
});
