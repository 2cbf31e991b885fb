import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../src/errors/errors.js';
import { createFixture, errorOf, type Options, path, token } from '../support/app-fixture.js';

describe('tokens', () => {
  const other = 'another-known-token';

  test.each<[Record<string, string>, number]>([
    [{ 'X-Api-Key': token }, 200],
    [{ 'x-api-key': other }, 200],
    [{ authorization: `Bearer ${token}` }, 200],
    [{ authorization: `bearer ${token}` }, 200],
    [{ authorization: `Basic ${token}` }, 401],
    [{ authorization: 'Bearer wrong', 'x-api-key': token }, 200],
    [{ authorization: `Bearer ${token}`, 'x-api-key': 'wrong' }, 401],
    [{ authorization: `Bearer ${token}`, 'x-api-key': '' }, 401],
    [{ 'x-api-key': `${token}x` }, 401],
    [{ 'x-api-key': token.toUpperCase() }, 401],
    [{}, 401],
  ])('%o: %i', async (headers, status) => {
    const response = await createFixture().app.request(`${path}?project=a`, { headers });
    expect(response.status).toBe(status);
  });

  test('missing and wrong ones get the same body, before anything else is checked', async () => {
    const { app, statements } = createFixture();
    const bodies = new Set<string>();
    for (const [url, init] of [
      [path, {}],
      [path, { headers: { 'x-api-key': 'wrong' } }],
      ['/api/endpoints/query/none', {}],
      [path, { method: 'DELETE' }],
      [path, { method: 'POST', body: 'x'.repeat(5000) }],
      [`${path}?sql=select`, { headers: { 'svc-endpoint-redact-pii': 'true' } }],
    ] as const) {
      const headers = { 'x-request-id': 'same', ...('headers' in init ? init.headers : {}) };
      const response = await app.request(url, { ...init, headers });
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Bearer');
      bodies.add(await response.text());
    }
    expect(bodies.size).toBe(1);
    expect(statements).toEqual([]);
  });

  test('too many wrong ones get 429 for a minute; a known one still passes', async () => {
    const { app, send, wait } = createFixture();
    const guess = async () =>
      (await app.request(path, { headers: { 'x-api-key': 'wrong' } })).status;
    const statuses = [];
    for (let time = 0; time < 21; time += 1) statuses.push(await guess());
    expect(statuses).toEqual([...Array(20).fill(401), 429]);
    expect((await send(`${path}?project=a`)).status).toBe(200);
    await wait(60_000);
    expect(await guess()).toBe(401);
  });
});

describe('queries of callers', () => {
  const sql = 'select 2';

  test.each([
    [{ sql, lql: 'x' }, sql],
    [{ sql: '', lql: '' }, 'stored'],
    [{ sql: ' ', lql: 'x' }, 'x'],
    [{ lql: ' \n\t' }, 'stored'],
  ])('%o runs %j where the server takes them', async (parameters, expected) => {
    const { send, statements } = createFixture();
    await send(`${path}?project=a&${new URLSearchParams(parameters)}`);
    expect(statements.at(-1)?.sql).toBe(expected);
  });

  test.each([
    ['/api/endpoints/query/cached?project=a', sql, 'accessDenied'],
    [`${path}?project=a`, 'é'.repeat(10_000), 'ok'],
    [`${path}?project=a&lql=x`, '', 'ok'],
    ['/api/endpoints/query/cached?project=a&lql=x', '', 'accessDenied'],
  ])('%s', async (url, text, reason) => {
    const { send } = createFixture();
    const response = await send(`${url}&sql=${encodeURIComponent(text)}`);
    if (reason === 'ok') expect(response.status).toBe(200);
    else expect((await errorOf(response)).errors[0].reason).toBe(reason);
  });

  test.each([
    [65_536, 200],
    [65_537, 400],
  ])('of %i bytes: %i', async (length, status) => {
    const { send } = createFixture({ maxBodyBytes: 1_000_000 });
    const body = new URLSearchParams({ project: 'a', sql: 'x'.repeat(length) });
    const response = await send(path, { method: 'POST', body });
    expect(response.status).toBe(status);
    if (status === 200) return;
    expect((await errorOf(response)).errors[0].reason).toBe('resourcesExceeded');
  });
});

describe('pages of other origins', () => {
  const preflight = {
    method: 'OPTIONS',
    headers: { origin: 'https://ok.example', 'access-control-request-method': 'GET' },
  };

  test('may call where they are configured', async () => {
    const { app, send } = createFixture({ corsOrigins: ['https://ok.example'] });
    const first = await app.request(path, preflight);
    expect(first.status).toBe(204);
    expect(first.headers.get('access-control-allow-origin')).toBe('https://ok.example');
    expect(first.headers.get('access-control-allow-headers')).toContain('X-API-KEY');
    const { headers } = await send(`${path}?project=a`, {
      headers: { origin: 'https://ok.example' },
    });
    expect(headers.get('access-control-allow-origin')).toBe('https://ok.example');
    const refused = await app.request(path, { headers: { origin: 'https://ok.example' } });
    expect(refused.status).toBe(401);
    expect(refused.headers.get('access-control-allow-origin')).toBe('https://ok.example');
  });

  test('get no headers where they are not', async () => {
    const { send } = createFixture({ corsOrigins: ['https://ok.example'] });
    const { headers } = await send(`${path}?project=a`, {
      headers: { origin: 'https://no.example' },
    });
    expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});

test.each([
  ['&sql=select+1/0', 'sql'],
  ['', undefined],
])('a query that fails on its data, with %j, is at %s', async (query, location) => {
  const run = () => Promise.reject(new ServiceError('invalidQuery', 'division by zero'));
  const { send } = createFixture({ run });
  const response = await send(`${path}?project=a${query}`);
  const fault = { reason: 'invalidQuery', message: 'division by zero', location };
  expect((await errorOf(response)).errors).toEqual([JSON.parse(JSON.stringify(fault))]);
});

describe('the clock', () => {
  const headers = { 'svc-endpoint-now': '2026-01-01 01:00:00+01:00' };

  test.each<[string, Options, RequestInit, string]>([
    ['the wall', {}, {}, '2026-03-10T12:00:00.000000+00:00'],
    ['the header where it is not allowed', {}, { headers }, '2026-03-10T12:00:00.000000+00:00'],
    ['a fixed one', { fixedNow: 'T' }, {}, 'T'],
    [
      'the header',
      { allowNowHeader: true, fixedNow: 'T' },
      { headers },
      '2026-01-01T00:00:00.000000+00:00',
    ],
  ])('%s', async (_what, options, init, expected) => {
    const { send, statements } = createFixture(options);
    await send(`${path}?project=a`, init);
    expect(statements[0]?.values).toMatchObject({ now: expected });
  });

  test('is refused if it is not an instant', async () => {
    const { send } = createFixture({ allowNowHeader: true });
    const response = await send(`${path}?project=a`, { headers: { 'svc-endpoint-now': 'noon' } });
    expect(response.status).toBe(400);
    expect((await errorOf(response)).errors[0]).toMatchObject({ location: 'SVC-ENDPOINT-NOW' });
  });
});
