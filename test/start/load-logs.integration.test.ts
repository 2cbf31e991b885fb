import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readCommand } from '../../src/config/config.js';
import { loadLogs } from '../../src/start/load-logs.js';
import { isFullLength } from '../support/nightly.js';
import { lines } from '../support/refresh-fixture.js';

const root = mkdtempSync(join(tmpdir(), 'load-logs-test-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

test.runIf(isFullLength)(
  'repeated starts without a server leave few enough parts for fast queries',
  async () => {
    const data = join(root, 'data');
    mkdirSync(data);
    const argv = ['check', '--data', data, '--cache-dir', join(root, 'cache')];
    const command = readCommand(argv, {});
    if (command.verb !== 'check') throw new Error('not the verb');
    const counts: number[] = [];
    for (let start = 0; start < 20; start += 1) {
      appendFileSync(join(data, 'edge_logs.ndjson'), lines(3_100 * start, 3_100 * (start + 1)));
      const { first } = await loadLogs(command.settings);
      counts.push(first.sources.find(({ name }) => name === 'edge_logs')?.parts?.length ?? 0);
      expect(first.files).toMatchObject([{ records: 3_100 * (start + 1), badLines: 0 }]);
      first.release();
    }
    // They are merged from time to time, not at each start.
    expect(Math.max(...counts)).toBe(16);
    expect(counts.at(-1)).toBeLessThan(8);
  },
  120_000,
);
