import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fixtures } from '../support/paths.js';
import { type Service, startService, token } from '../support/start-service.js';

// Rows that are cached for long and renewed every second; computing them fails after the instant `until`.
const endpoint = `-- name: until
-- id: 3f0e4c52-1111-4a4e-9a0e-2f2f5a3c9e11
-- max-rows: 10
-- cache-seconds: 600
-- warm-seconds: 1
-- sandbox: false
-- redact-pii: false
-- @until: timestamp, required
--
select if(current_timestamp() < @until, 'there', error(concat('over since ', 'a-secret'))) as x
`;

const folder = mkdtempSync(join(tmpdir(), 'log-endpoints-warming-'));
let service: Service;

beforeAll(async () => {
  writeFileSync(join(folder, 'until.sql'), endpoint);
  service = await startService(['--data', fixtures, '--endpoints', folder]);
});
afterAll(() => rmSync(folder, { recursive: true }));

function ask(until: string): Promise<Response> {
  const query = new URLSearchParams({ until });
  const url = `${service.url}/api/endpoints/query/until?${query}`;
  return fetch(url, { headers: { 'x-api-key': token } });
}

async function count(name: string): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return Number(new RegExp(`^log_endpoints_cache_${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

async function until(what: () => Promise<boolean>): Promise<void> {
  while (!(await what())) await sleep(50);
}

test('the service renews requested rows', async () => {
  const first = await ask('2100-01-01');
  expect([first.status, first.headers.get('x-cache')]).toEqual([200, 'MISS']);
  await until(async () => (await count('renewals_total')) > 1);
  expect(await count('failed_renewals_total')).toBe(0);
  const second = await ask('2100-01-01');
  expect([second.headers.get('x-cache'), await second.text()]).toEqual([
    'HIT',
    '{"result":[{"x":"there"}]}',
  ]);
});

test('a failed renewal keeps the old rows, and logs a line that quotes nothing', async () => {
  // Leaves time for the first run on a slow machine.
  const end = new Date(Date.now() + 5000).toISOString();
  expect((await ask(end)).status).toBe(200);
  await until(async () => (await count('failed_renewals_total')) > 0);
  const { status, headers } = await ask(end);
  expect([status, headers.get('x-cache')]).toEqual([200, 'STALE']);
  expect(Number(headers.get('age'))).toBeGreaterThan(0);
  const renewalLine = () =>
    service
      .output()
      .split('\n')
      .find((text) => text.includes('"renewal"'));
  await until(async () => renewalLine() !== undefined);
  const line = renewalLine();
  expect(JSON.parse(line ?? '')).toMatchObject({ endpoint: 'until', reason: 'invalidQuery' });
  for (const text of ['a-secret', 'over since', 'current_timestamp', end.slice(0, 19)]) {
    expect(line).not.toContain(text);
  }
});

test('renewals do not keep the service from ending', async () => {
  expect(await service.stop()).toBe(0);
});
