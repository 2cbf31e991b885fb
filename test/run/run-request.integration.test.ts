import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunRequest } from '../../src/run/run-request.js';
import { ask, type CountedService, openCounted } from '../support/counted-service.js';
import { fixtures } from '../support/paths.js';
import { requestOf } from '../support/request-of.js';

let service: CountedService;

beforeAll(async () => {
  service = await openCounted(fixtures);
});
afterAll(() => service.serving.close());

const running = { now: '2026-03-10T12:00:00.000000+00:00', fixed: false };

test('with --shift-to-now, times move on with the clock', async () => {
  const shifted = await openCounted(fixtures, {}, ['--shift-to-now']);
  const sql = 'select max(timestamp) as t from edge_logs';
  const askAt = async (second: number) => {
    const clock = { now: `2026-03-10T12:00:0${second}.000000+00:00`, fixed: false };
    return (await ask(shifted, requestOf({ project: 'bluefin', sql }, { clock }))).rows[0]?.['t'];
  };
  expect(Number(await askAt(7)) - Number(await askAt(0))).toBe(7_000_000);
  await shifted.serving.close();
});

test.each<[string, Partial<RunRequest>, number]>([
  ['select count(*) as n from edge_logs', { clock: running }, 0],
  ['select count(*) as n from edge_logs where timestamp < current_timestamp()', {}, 0],
  [
    'select count(*) as n from edge_logs where timestamp < current_timestamp()',
    { clock: running },
    1,
  ],
  ['select extract(year from current_date()) as n from edge_logs limit 1', { clock: running }, 1],
  ['select id from edge_logs order by rand() limit 3', {}, 1],
  ['select generate_uuid() as n from edge_logs limit 1', {}, 1],
  [
    'select id from edge_logs where id in (select if(rand() < 2, id, null) from edge_logs) limit 1',
    {},
    1,
  ],
])('the second time, %s %j takes %j statements', async (sql, more, runs) => {
  const request = requestOf({ project: 'bluefin', sql }, more);
  expect((await ask(service, request)).runs).toBe(1);
  expect((await ask(service, request)).runs).toBe(runs);
});

test('new records of a source leave the results of other sources', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'kept-results-test-'));
  cpSync(fixtures, folder, { recursive: true });
  const followed = await openCounted(folder);
  const count = async (source: string) => {
    const sql = `select count(*) as n from ${source} where event_message != 'x'`;
    const { rows, runs } = await ask(followed, requestOf({ project: 'bluefin', sql }));
    return [Number(rows[0]?.['n']), runs];
  };
  const [[auth = 0], [edge = 0]] = [await count('auth_logs'), await count('edge_logs')];
  const record = { timestamp: '2026-03-10T11:00:00Z', project: 'bluefin', event_message: 'new' };
  appendFileSync(join(folder, 'auth_logs.ndjson'), `${JSON.stringify(record)}\n`);
  const next = await followed.allLogs.refresh();
  if (next === undefined) throw new Error('the line is not loaded');
  await followed.serving.replace(await followed.openData(next));
  expect(await count('edge_logs')).toEqual([edge, 0]);
  expect(await count('auth_logs')).toEqual([auth + 1, 1]);
  await followed.serving.close();
  rmSync(folder, { recursive: true });
});
