import { appendFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SetupError } from '../../src/errors/errors.js';
import type { RefreshOptions } from '../../src/logs/refresh/refresh.js';
import { emptyManifest } from '../../src/logs/store/manifest.js';
import { openDiskCache } from '../../src/logs/store/store.js';
import { createLogs } from '../../src/start/logs.js';
import { declared, makeFolder } from '../support/load-logs.js';

let [root, data] = ['', ''];
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'change-source-'));
  data = makeFolder({ 'edge_logs.ndjson': '{}\n' });
});
afterEach(() => {
  for (const folder of [root, data]) rmSync(folder, { recursive: true });
});

test('the database files of a source stay while its changes are loaded, and go after that', async () => {
  const cache = openDiskCache(root, { dataFolder: data, storedBy: [] });
  const database = cache.newDatabase();
  const path = join(cache.folder, database);
  writeFileSync(path, '');
  const part = { source: 'edge_logs', database, slices: [], records: 1 };
  const manifest = { ...emptyManifest, parts: [part] };
  await cache.save(manifest);
  const wasThere: boolean[] = [];
  const load = async () => {
    // A merge that is applied meanwhile does the same.
    await cache.save(emptyManifest);
    wasThere.push(existsSync(path));
    throw new SetupError(['enough']);
  };
  const folder = { dataFolder: data, declared, cache, warnings: [], load };
  const options = { ...folder, awaitsLines: false, now: Date.now };
  const logs = createLogs({ manifest, options }, [], (before) => before);
  logs.first.release();
  await expect(logs.refreshSource('edge_logs', () => {})).rejects.toThrow('enough');
  expect(wasThere).toEqual([true]);
  expect(existsSync(path)).toBe(false);
});

test('changes of a source that was replaced before they are applied must be loaded again', async () => {
  const cache = openDiskCache(root, { dataFolder: data, storedBy: [] });
  const none = { badLines: 0, badFields: 0, faults: [], readable: true };
  const load: RefreshOptions['load'] = async ({ sources, database }) => {
    writeFileSync(database, '');
    return sources.map(({ source, files }) => ({
      schema: { name: source.name, columns: source.columns },
      isWritten: true,
      contents: {},
      files: files.map(({ name }) => ({
        report: { source: source.name, file: name, records: 1, ...none },
        lines: 1,
      })),
    }));
  };
  const folder = { dataFolder: data, declared, cache, warnings: [], load };
  const options = { ...folder, awaitsLines: false, now: Date.now };
  const logs = createLogs({ manifest: emptyManifest, options }, [], (before) => before);
  (await logs.refresh())?.release();
  appendFileSync(join(data, 'edge_logs.ndjson'), '{}\n');
  const onReplaced = vi.fn();
  const refreshSource = () => logs.refreshSource('edge_logs', onReplaced);
  // Both replace the same small part.
  const [first, second] = [await refreshSource(), await refreshSource()];
  (await first())?.release();
  expect([logs.changed(), onReplaced.mock.calls]).toEqual([[], []]);
  expect([await second(), onReplaced.mock.calls]).toEqual([undefined, [[]]]);
});
