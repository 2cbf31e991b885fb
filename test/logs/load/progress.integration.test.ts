import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { load } from '../../../src/logs/load/load.js';
import type { LoadProgress } from '../../../src/logs/load/progress.js';
import { declared, makeFolder } from '../../support/load-logs.js';
import { lines } from '../../support/refresh-fixture.js';

test('counts only the end of a file if only its end is loaded', async () => {
  const [start, end] = [lines(0, 2_000), lines(2_000, 3_000)];
  const folder = makeFolder({ 'edge_logs.ndjson': start + end });
  const path = join(folder, 'edge_logs.ndjson');
  const kind = { format: 'lines', compression: 'none' } as const;
  const from = { bytes: start.length, lines: 2_000 };
  const slice = { from, toBytes: start.length + end.length };
  const file = { source: 'edge_logs', name: 'edge_logs.ndjson', path, ...kind, slice };
  const sources = declared
    .filter(({ name }) => name === 'edge_logs')
    .map((source) => ({ source, files: [file], parts: [] }));
  const told: LoadProgress[] = [];
  const options = { database: join(folder, 'x.duckdb'), memoryLimit: '1GB', threads: 1 };
  await load({ ...options, sources }, (progress) => told.push(progress));
  const bytes = end.length;
  expect(told.at(-1)).toEqual({ files: 1, filesTotal: 1, rows: 1_000, bytes, bytesTotal: bytes });
  expect(told.filter((each) => each.bytes > bytes)).toEqual([]);
  rmSync(folder, { recursive: true });
});

test('is not reported if no file is read, as by a merge', async () => {
  const folder = makeFolder({});
  const sources = declared
    .filter(({ name }) => name === 'edge_logs')
    .map((source) => ({ source, files: [], parts: [] }));
  const told: LoadProgress[] = [];
  const options = { database: join(folder, 'x.duckdb'), memoryLimit: '1GB', threads: 1 };
  await load({ ...options, sources }, (progress) => told.push(progress));
  expect(told).toEqual([]);
  rmSync(folder, { recursive: true });
});
