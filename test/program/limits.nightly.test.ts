import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { errorOf } from '../support/app-fixture.js';
import { ask, endlessSql, endlessSqls, metricOf } from '../support/ask-service.js';
import { fixtures } from '../support/paths.js';
import { type Service, startService, token } from '../support/start-service.js';

const other = 'another-token-of-the-tests-012345';

/** `patient` gives queries time to reach another limit; `service` has a short time limit. */
let patient: Service;
let service: Service;
beforeAll(async () => {
  const start = (queryTimeout: string) =>
    startService(
      [
        ...['--data', fixtures, '--query-timeout', queryTimeout, '--memory-limit', '500MB'],
        ...['--max-result-bytes', '2KB', '--max-body', '100KB'],
        ...['--max-concurrent-queries', '2', '--max-queued-queries', '3'],
        // Reading the newest rows would take places in the queue.
        ...['--newest-rows', '0'],
      ],
      { LOG_ENDPOINTS_TOKENS: `${token},${other}` },
    );
  [patient, service] = await Promise.all([start('20s'), start('4s')]);
});
afterAll(() => Promise.all([patient.stop(), service.stop()]));

const many = 'x'.repeat(70_000);
const small = { sql: 'select count(*) as n from edge_logs' };

test('an empty answer says why, if it is known', async () => {
  const sql = 'select id from edge_logs where false';
  const note = async (parameters: Parameters<typeof ask>[1]) =>
    (await ask(patient, parameters)).headers.get('x-result-note');
  // A busy machine may need more time than an answer waits.
  await expect
    .poll(() => note({ sql, project: 'blufin' }), { timeout: 60_000 })
    .toMatch(/^no log has a record of this project; \d+ projects are known$/);
  expect(await note({ sql, projekt: 'x' })).toBe(
    'parameter projekt is ignored; did you mean project?',
  );
  expect(await note({ sql })).toBeNull();
  expect(await note({ sql: 'select count(*) as n from edge_logs', project: 'blufin' })).toBeNull();
});

test('the time limit is named', async () => {
  const response = await ask(service, { sql: endlessSql });
  expect(response.status).toBe(504);
  const { errors, message } = await errorOf(response);
  expect([errors[0].reason, message]).toEqual([
    'timeout',
    expect.stringContaining('(--query-timeout)'),
  ]);
});

test.each<[string, Parameters<typeof ask>[1], number, string, string]>([
  [
    'memory',
    {
      sql: `select array_length(array_agg(concat(a.id, b.id, repeat('x', 900000)))) as n
        from edge_logs a cross join auth_logs b`,
    },
    400,
    'resourcesExceeded',
    '(--memory-limit)',
  ],
  [
    'the answer',
    { sql: 'select id, event_message from edge_logs' },
    400,
    'resourcesExceeded',
    '(--max-result-bytes)',
  ],
  ['the body', { sql: 'x'.repeat(110_000) }, 413, 'tooLarge', '(--max-body)'],
  ['SQL, which has no setting', { sql: many }, 400, 'resourcesExceeded', 'its limit of 64 KB'],
])('the limit of %s is named', async (_what, parameters, status, reason, words) => {
  const response = await ask(patient, parameters);
  expect(response.status).toBe(status);
  const { errors, message } = await errorOf(response);
  expect(errors[0].reason).toBe(reason);
  expect(message).toContain(words);
});

test.each<[string, string, Record<string, string>, number, string]>([
  ['the URL', `?x=${many}`, {}, 414, 'its limit of 64 KB'],
  ['the headers', '', { x: many }, 431, 'their limit of 64 KB'],
])('the limit of %s is named', async (_what, query, headers, status, words) => {
  const response = await fetch(`${service.url}/health${query}`, { headers });
  expect([response.status, (await errorOf(response)).message]).toEqual([
    status,
    expect.stringContaining(words),
  ]);
});

describe('a caller who sends more than the queue holds', () => {
  test('is refused immediately, while others are answered', async () => {
    const start = performance.now();
    const took = () => performance.now() - start;
    const busy = Array.from({ length: 7 }, async (_, turn) => {
      const response = await ask(service, { sql: endlessSqls(turn) });
      const { status, headers } = response;
      const { message } = await errorOf(response);
      return { status, retry: headers.get('retry-after'), message, ms: took() };
    });
    // The first caller has one of the two running queries and fills the queue with three.
    await expect.poll(() => metricOf(service, 'queue_length'), { timeout: 60_000 }).toBe(3);
    for (let turn = 0; turn < 5; turn++) {
      const response = await ask(service, small, { token: other });
      expect(response.status).toBe(200);
    }
    const othersTook = took();
    const answers = await Promise.all(busy);
    const late = answers.filter(({ status }) => status === 504).map(({ ms }) => ms);
    const refused = answers.filter(({ status }) => status === 503).toSorted((a, b) => a.ms - b.ms);
    for (const { retry, message } of refused) {
      expect([retry, message]).toEqual(['1', expect.stringContaining('--max-queued-queries is 3')]);
    }
    expect(refused.length).toBe(3);
    for (const { ms } of refused) expect(ms).toBeLessThan(Math.min(...late));
    expect(refused.length + late.length).toBe(7);
    // The first caller's queries run one after another for four seconds each.
    expect(othersTook).toBeLessThan(Math.max(...late));
  }, 60_000);

  test('loses places in the queue to another caller', async () => {
    const busy = Array.from({ length: 4 }, (_, turn) => ask(service, { sql: endlessSqls(turn) }));
    await expect.poll(() => metricOf(service, 'queue_length'), { timeout: 60_000 }).toBe(3);
    const others = [4, 5].map((turn) => ask(service, { sql: endlessSqls(turn) }, { token: other }));
    const statuses = await Promise.all([...busy, ...others].map(async (one) => (await one).status));
    expect(statuses.slice(4)).toEqual([504, 504]);
    expect(statuses.slice(0, 4).filter((status) => status === 503).length).toBe(1);
    expect(new Set(statuses)).toEqual(new Set([503, 504]));
  }, 60_000);
});
