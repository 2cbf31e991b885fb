import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { fileStart, type Position } from '../../../src/logs/files/files.js';
import { load } from '../../../src/logs/load/load.js';
import { jobsOf, makeFolder } from '../../support/load-logs.js';
import { line, lines } from '../../support/refresh-fixture.js';

const many = lines(0, 5000);
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** Loads slices of files of two sources; returns where their copies were in the meantime. */
async function loadSlices(from: Position) {
  const files = { 'edge_logs.ndjson': `${many}{"id":"ha`, 'db_logs.ndjson': many };
  const data = makeFolder(files);
  folders.push(data, mkdtempSync(join(tmpdir(), 'copies-test-')));
  const database = join(folders[1] ?? '', 'new.duckdb');
  for (const name of Object.keys(files)) chmodSync(join(data, name), 0o400);
  const sources = jobsOf(data)
    .filter(({ files }) => files.length > 0)
    .map((job) => ({
      ...job,
      files: job.files.map((file) => ({ ...file, slice: { from, toBytes: many.length } })),
    }));
  const seen: number[] = [];
  const loaded = await load({ sources, database, memoryLimit: '1GB', threads: 1 }, () => {
    seen.push(bytesBelow(`${database}.spill/copies`));
  });
  return { loaded, seen, left: readdirSync(dirname(database)) };
}

function bytesBelow(folder: string): number {
  if (!existsSync(folder)) return 0;
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const stats = names.map((name) => statSync(join(folder, name)));
  return stats.filter((stat) => stat.isFile()).reduce((sum, { size }) => sum + size, 0);
}

test.each([
  ['from the start', fileStart, 5000],
  ['from a later line', { bytes: line(0).length, lines: 1 }, 4999],
])(
  'slices %s are copied next to the database, one source at a time',
  async (_what, from, records) => {
    const { loaded, seen, left } = await loadSlices(from);
    expect(loaded.map(({ files }) => files[0]?.report.records)).toEqual([records, records]);
    expect(Math.max(...seen)).toBe(many.length - from.bytes);
    expect(left).toEqual(['new.duckdb']);
  },
);
