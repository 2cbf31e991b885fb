import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RunRequest } from '../../src/service/run-request.js';
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
