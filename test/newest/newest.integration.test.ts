import { appendFileSync, cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeRowsInChild } from '../../src/newest/write-in-child.js';
import type { RunRequest } from '../../src/service/run-request.js';
import { type Asked, ask, type CountedService, openCounted } from '../support/counted-service.js';
import { fixtures } from '../support/paths.js';
import { randomFrom } from '../support/random.js';
import { requestOf } from '../support/request-of.js';

// The same requests to two services over the same logs: one answers from kept rows where it can, the other never.

const folder = mkdtempSync(join(tmpdir(), 'newest-test-'));
let kept: CountedService;
let other: CountedService;

async function readAll({ newest, serving }: CountedService): Promise<void> {
  const { signal } = new AbortController();
  while (await serving.use((data) => newest.keepNext(data, signal)));
}

beforeAll(async () => {
  cpSync(fixtures, folder, { recursive: true });
  kept = await openCounted(folder, { newestBytes: 64_000_000 });
  other = await openCounted(folder);
  await readAll(kept);
});
afterAll(async () => {
  await Promise.all([kept.serving.close(), other.serving.close()]);
  rmSync(folder, { recursive: true });
});

/** Records of one instant may come in any order, and any of them may be missing at the end. */
function settled({ rows, truncated }: Asked) {
  const last = rows.at(-1)?.['timestamp'];
  const texts = rows
    .filter(({ timestamp }) => timestamp !== last)
    .map((row) => JSON.stringify(row));
  return { truncated, count: rows.length, last, texts: texts.sort() };
}

async function expectAlike(request: RunRequest): Promise<Asked> {
  const [own, expected] = [await ask(kept, request), await ask(other, request)];
  expect(settled(own)).toEqual(settled(expected));
  const times = own.rows.map(({ timestamp }) => Number(timestamp));
  expect(times).toEqual(times.toSorted((one, two) => two - one));
  return own;
}

const sources = [
  ...['edge_logs', 'db_logs', 'function_edge_logs', 'function_logs', 'auth_logs'],
  ...['realtime_logs', 'storage_logs', 'rest_logs', 'pooler_logs'],
];
const projects = ['bluefin', 'larkspur', 'quarry', 'nobody'];

function randomSelect(next: () => number, source: string): string {
  const pick = (texts: readonly string[]) => texts[next() % texts.length];
  const time = () => new Date(Date.UTC(2026, 2, 9) + (next() % (36 * 3600)) * 1000).toISOString();
  const list = pick([
    '*',
    'timestamp, id',
    'timestamp, metadata as m, metadata',
    't.timestamp, t.id as `b.c`',
  ]);
  const where = pick([
    ...['', '', ''],
    `where timestamp > '${time()}'`,
    `where timestamp >= timestamp '${time()}' and '${time()}' >= timestamp`,
    `where timestamp < '${time()}'`,
    `where timestamp between '${time()}' and '${time()}'`,
  ]);
  const limit = pick(['', `limit ${next() % 60}`, `limit ${next() % 60}`]);
  return `select ${list} from ${source} as t ${where} order by timestamp desc ${limit}`;
}

describe('rows are answered without the engine, and are the same', () => {
  test.each(projects)('the stored query: %s', async (project) => {
    const window = { iso_timestamp_start: '2026-03-09', iso_timestamp_end: '2026-03-10T06:00:00Z' };
    for (const parameters of [{ project }, { project, ...window }]) {
      const asked = await expectAlike(requestOf(parameters));
      // An empty answer asks for the known projects.
      expect(asked.runs).toBeLessThanOrEqual(asked.rows.length === 0 ? 1 : 0);
    }
  });

  test.each(sources)('columns, windows and limits of %s', async (source) => {
    const next = randomFrom(source.length);
    // Its records are stored as lists: one may belong to several projects.
    const wantedRuns = source === 'storage_logs' ? 1 : 0;
    let rows = 0;
    for (let round = 0; round < 24; round += 1) {
      const sql = randomSelect(next, source);
      const request = requestOf({ sql, project: projects[next() % 3] ?? '' });
      const asked = await expectAlike({ ...request, ...(next() % 4 === 0 && { maxRows: 7 }) });
      if (asked.rows.length > 0) expect(asked.runs, sql).toBe(wantedRuns);
      rows += asked.rows.length;
    }
    expect(rows).toBeGreaterThan(20);
  });

  test('sub-selects, and the order that a table has', async () => {
    for (const sql of [
      'select id, timestamp from edge_logs limit 10',
      'select as struct id, timestamp from edge_logs order by timestamp desc limit 3',
      'select id, timestamp from (select * from edge_logs where timestamp > "2026-03-10") order by timestamp desc limit 10',
      'with a as (select timestamp as timestamp, id from auth_logs) select * from a order by timestamp desc limit 3',
    ]) {
      expect((await expectAlike(requestOf({ project: 'bluefin', sql }))).runs, sql).toBe(0);
    }
  });
});

describe('everything else is left to the engine', () => {
  test.each([
    'select id, timestamp from edge_logs order by timestamp',
    'select id, timestamp from edge_logs order by timestamp desc, id',
    'select id, timestamp from edge_logs order by timestamp desc nulls first limit 3',
    'select id, timestamp from edge_logs order by timestamp desc limit 3 offset 1',
    'select distinct id, timestamp from edge_logs order by timestamp desc limit 3',
    'select upper(id) as id, timestamp from edge_logs order by timestamp desc limit 3',
    "select id, timestamp from edge_logs where id > 'a' order by timestamp desc limit 3",
    'select id, timestamp from edge_logs where timestamp != "2026-03-10" order by timestamp desc limit 3',
    'select id, timestamp from edge_logs where timestamp > "2026-03-09" or id = "a" order by timestamp desc limit 3',
    'select id, timestamp from (select * from edge_logs order by timestamp limit 5) order by timestamp desc',
    'select a.id, a.timestamp from edge_logs a cross join unnest(a.metadata) order by timestamp desc limit 3',
    'select id, timestamp from edge_logs union all select id, timestamp from auth_logs order by timestamp desc limit 3',
    'select any_value(id) as id, timestamp from edge_logs group by timestamp order by timestamp desc limit 3',
    'select id, timestamp from edge_logs qualify row_number() over (order by id) < 9 order by timestamp desc limit 3',
  ])('%s', async (sql) => {
    const [own, expected] = [
      await ask(kept, requestOf({ project: 'bluefin', sql })),
      await ask(other, requestOf({ project: 'bluefin', sql })),
    ];
    expect(own.runs).toBeGreaterThan(0);
    expect(settled(own)).toEqual(settled(expected));
  });

  test('redaction and other formats', async () => {
    for (const more of [{ redact: true }, { format: { named: 'csv', accepted: undefined } }]) {
      const request = requestOf({ project: 'bluefin' }, more);
      expect((await ask(kept, request)).runs).toBeGreaterThan(0);
    }
  });
});

test('new records are found once they are served, whether they were read or not', async () => {
  const line = { timestamp: '2026-03-10T11:59:59.5Z', project: 'bluefin', event_message: 'new' };
  appendFileSync(join(folder, 'edge_logs.ndjson'), `${JSON.stringify(line)}\n`);
  const late = { ...line, timestamp: '2026-03-09T12:00:00Z', event_message: 'late' };
  appendFileSync(join(folder, 'edge_logs.ndjson'), `${JSON.stringify(late)}\n`);
  for (const service of [kept, other]) {
    const logs = await service.allLogs.refresh();
    if (logs === undefined) throw new Error('nothing has changed');
    await service.serving.replace(await service.openData(logs));
  }
  const sql = 'select timestamp, event_message, metadata from edge_logs order by timestamp desc';
  const requests = [requestOf({ project: 'bluefin' }), requestOf({ project: 'bluefin', sql })];
  for (const request of requests) expect((await expectAlike(request)).runs).toBeGreaterThan(0);
  await readAll(kept);
  for (const request of requests) {
    const { rows, runs: own } = await expectAlike(request);
    expect(own).toBe(0);
    expect(rows.some((row) => row['event_message'] === 'new')).toBe(true);
  }
});

/** A process that is killed for its memory, or stopped, leaves no file behind. */
async function expectNothingLeft({ logs }: CountedService): Promise<void> {
  const source = logs.sources.find(({ name }) => name === 'edge_logs');
  if (source === undefined) throw new Error('no such source');
  const path = join(folder, 'killed.rows');
  const job = { source, view: source.name, path, building: `${path}.new`, maxBytes: 1e9 };
  const limits = { memoryLimit: '200MB', maxResidentBytes: 1e9 };
  const killed = { ...limits, maxResidentBytes: 1 };
  const watch = { onWritten: () => {}, signal: new AbortController().signal };
  await expect(writeRowsInChild({ job, limits: killed }, watch)).rejects.toThrow('SIGKILL');
  const stopping = new AbortController();
  const stop = { onWritten: () => stopping.abort(new Error('enough')), signal: stopping.signal };
  await expect(writeRowsInChild({ job, limits }, stop)).rejects.toThrow('enough');
  expect([existsSync(job.path), existsSync(job.building)]).toEqual([false, false]);
  await writeRowsInChild({ job, limits }, watch);
  expect([existsSync(job.path), existsSync(job.building)]).toEqual([true, false]);
}

test('a large source is written by a process of its own', async () => {
  const large = mkdtempSync(join(tmpdir(), 'newest-large-'));
  const next = randomFrom(1);
  const lines = Array.from({ length: 9_000 }, (_, index) => {
    const timestamp = new Date(Date.UTC(2026, 2, 10) + index * 1000).toISOString();
    const metadata = { request: { path: `/${next()}`, method: 'GET' } };
    return JSON.stringify({
      timestamp,
      project: projects[next() % 3],
      event_message: 'ö"',
      metadata,
    });
  });
  writeFileSync(join(large, 'edge_logs.ndjson'), lines.join('\n'));
  const services = await Promise.all([
    openCounted(large, { newestBytes: 64_000_000 }),
    openCounted(large),
  ]);
  [kept, other] = services;
  await readAll(kept);
  await expect.poll(() => kept.newest.stats().waiting, { timeout: 30_000 }).toBe(0);
  for (const project of projects) {
    const sql = 'select * from edge_logs where timestamp < "2026-03-10T01:00:00Z" limit 300';
    for (const request of [requestOf({ project }), requestOf({ project, sql })]) {
      const { rows, runs } = await expectAlike(request);
      expect(runs).toBeLessThanOrEqual(rows.length === 0 ? 1 : 0);
    }
  }
  await expectNothingLeft(kept);
  await Promise.all(services.map(({ serving }) => serving.close()));
  rmSync(large, { recursive: true });
});
