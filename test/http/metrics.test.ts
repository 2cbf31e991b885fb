import { expect, test } from 'vitest';
import type { Engine } from '../../src/engine/engine.js';
import { createMetrics, type Metrics } from '../../src/http/metrics.js';
import { createFixture, path, token } from '../support/app-fixture.js';

const counts = '/api/endpoints/query/usage.api-counts?project=acme';

const textOf = ({ plain }: Awaited<ReturnType<Metrics['print']>>) =>
  Buffer.from(plain.bytes).toString();

/** The sample lines, each a name with its labels and a value. */
async function scrape({ app }: Pick<ReturnType<typeof createFixture>, 'app'>) {
  const text = await (await app.request('/metrics')).text();
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

test('metrics need no token and use the text format', async () => {
  const { app } = createFixture();
  const response = await app.request('/metrics');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const head = await app.request('/metrics', { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
});

test.each(['POST', 'PUT', 'DELETE'])('%s is refused by its path', async (method) => {
  const response = await createFixture().app.request('/metrics', { method });
  expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('requests are counted by endpoint and status, including refused ones', async () => {
  const fixture = createFixture();
  const { app, send } = fixture;
  await send(`${path}?project=a`);
  await send(path);
  await send('/api/endpoints/query/5D9D7C1E-2B44-4B6F-8C1C-9A7F3F5B6E02?project=a');
  await app.request(path);
  await send(path, { method: 'DELETE' });
  for (const name of ['none', 'none2', 'LOGS.ALL']) await send(`/api/endpoints/query/${name}`);
  await app.request('/elsewhere');
  await app.request('/health');
  const lines = await scrape(fixture);
  const total = 'log_endpoints_requests_total';
  expect(lines.filter((line) => line.startsWith(total)).sort()).toEqual([
    `${total}{endpoint="logs.all",status="200"} 2`,
    `${total}{endpoint="logs.all",status="400"} 1`,
    `${total}{endpoint="logs.all",status="401"} 1`,
    `${total}{endpoint="logs.all",status="405"} 1`,
    `${total}{endpoint="unknown",status="200"} 1`,
    `${total}{endpoint="unknown",status="404"} 4`,
  ]);
  const duration = 'log_endpoints_request_duration_seconds';
  expect(lines).toContain(`${duration}_count{endpoint="logs.all"} 5`);
  expect(lines).toContain(`${duration}_bucket{le="+Inf",endpoint="unknown"} 5`);
});

test("answers are counted by cache state, and the cache's contents are shown", async () => {
  let fails = false;
  const run: Engine['run'] = async () => {
    if (fails) throw new Error('no');
    const timings = { queueMs: 0, engineMs: 0, encodeMs: 0 };
    return { format: 'json', body: Buffer.from('[]'), rowCount: 0, truncated: false, timings };
  };
  const fixture = createFixture({ run });
  const { send, wait } = fixture;
  for (const url of [counts, counts, counts, `${path}?project=a`]) await send(url);
  await wait(300_000);
  fails = true;
  await wait(300_000);
  await send(counts);
  const lines = await scrape(fixture);
  const answers = 'log_endpoints_cache_answers_total';
  expect(lines).toEqual(
    expect.arrayContaining([
      `${answers}{state="miss"} 1`,
      `${answers}{state="hit"} 2`,
      `${answers}{state="stale"} 1`,
      `${answers}{state="bypass"} 1`,
      'log_endpoints_cache_entries 1',
      'log_endpoints_cache_renewals_total 2',
      'log_endpoints_cache_failed_renewals_total 1',
      expect.stringMatching(/^log_endpoints_cache_bytes [1-9]\d{3}$/),
    ]),
  );
});

test('the engine, the compile workers and the files are shown', async () => {
  expect(await scrape(createFixture())).toEqual(
    expect.arrayContaining([
      'log_endpoints_engine_running 1',
      'log_endpoints_queue_length 2',
      'log_endpoints_engine_processes 3',
      'log_endpoints_engine_restarts_total 4',
      'log_endpoints_compile_running 1',
      'log_endpoints_compile_queue_length 5',
      'log_endpoints_compile_restarts_total 6',
      'log_endpoints_source_records{source="edge_logs"} 15',
      'log_endpoints_source_bad_lines{source="edge_logs"} 3',
    ]),
  );
});

test('they contain nothing that callers send', async () => {
  const fixture = createFixture();
  const { send, app } = fixture;
  await send(`${counts}&sql=select+42`);
  await send(`${path}?project=top-secret&sql=select+42`);
  await send('/api/endpoints/query/made-up%0A%22name');
  await app.request(path, { headers: { 'x-api-key': 'wrong-token' } });
  const text = (await scrape(fixture)).join('\n');
  for (const secret of ['acme', 'top-secret', 'select', 'made-up', 'wrong-token', token]) {
    expect(text).not.toContain(secret);
  }
});

test("an engine's missing facts are left out, and process metrics are optional", async () => {
  const metrics = createMetrics({
    endpointName: () => undefined,
    engineStats: () => ({ running: 0, waiting: 0 }),
    compileStats: () => ({ running: 0, waiting: 0, restarts: 0 }),
    cacheStats: () => ({ entries: 0, bytes: 0, renewals: 0, failedRenewals: 0 }),
    openTails: () => 0,
    files: () => [],
    withProcessMetrics: true,
    now: () => 0,
  });
  const text = textOf(await metrics.print());
  expect(text).not.toContain('engine_restarts');
  expect(text).toContain('log_endpoints_process_cpu_seconds_total');
  const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  expect(names.filter((name) => !name?.startsWith('log_endpoints_'))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

test('metrics are printed once a second, however often they are asked for', async () => {
  let nowMs = 0;
  let collected = 0;
  const metrics = createMetrics({
    endpointName: () => undefined,
    engineStats: () => ({ running: 0, waiting: 0 }),
    compileStats: () => ({ running: 0, waiting: 0, restarts: 0 }),
    cacheStats: () => ({ entries: 0, bytes: 0, renewals: 0, failedRenewals: 0 }),
    openTails: () => {
      collected += 1;
      return collected;
    },
    files: () => [],
    withProcessMetrics: false,
    now: () => nowMs,
  });
  const tails = async () =>
    /^log_endpoints_open_tails (\d+)$/m.exec(textOf(await metrics.print()))?.[1];
  const printed = [];
  for (nowMs = 0; nowMs <= 2_000; nowMs += 250) printed.push(await tails());
  expect(printed).toEqual(['1', '1', '1', '1', '2', '2', '2', '2', '3']);
});
