import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { SourceLoad } from '../../../src/logs/load/job.js';
import { load } from '../../../src/logs/load/load.js';
import { idKey, jobsOf, makeFolder } from '../../support/load-logs.js';

/** Lines with 25 lists of numbers, of which each byte takes about fifty bytes of memory. */
function lines(count: number, numbers: number): string {
  const list = `[${'7,'.repeat(numbers - 1)}7]`;
  const lists = Array.from({ length: 25 }, (_, n) => `"f${n}":${list}`).join();
  return `{"id":"a","timestamp":1773144896,"metadata":{${lists}}}\n`.repeat(count);
}

async function loadLog(log: string, typed?: SourceLoad['typed']) {
  const jobs = jobsOf(makeFolder({ 'edge_logs.ndjson': log }));
  const sources = jobs
    .filter(({ source }) => source.name === 'edge_logs')
    .map((job) => ({ ...job, ...(typed && { typed }) }));
  const database = join(mkdtempSync(join(tmpdir(), 'long-lists-')), 'logs.duckdb');
  const options = { idKey, database, sources, threads: 1, memoryLimit: '500MB' };
  const [loaded] = await load(options);
  const columns = loaded?.schema.columns ?? [];
  return { columns, text: JSON.stringify(columns), records: loaded?.files[0]?.report.records };
}

test('lists that need more memory than there is are kept as JSON, also if they had types', async () => {
  const short = await loadLog(lines(1, 2));
  expect(short.text).toContain('"f24"');
  for (const typed of [undefined, short.columns]) {
    const long = await loadLog(lines(6, 40_000), typed);
    expect(long.records).toBe(6);
    expect(long.text).not.toContain('"f24"');
    expect(long.text).toContain('"_other_fields"');
  }
});
