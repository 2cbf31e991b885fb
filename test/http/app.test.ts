import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../src/errors/errors.js';
import { createFixture, errorOf, path } from '../support/app-fixture.js';

describe('a response', () => {
  test('is the engine’s bytes in their envelope, with facts in headers', async () => {
    const response = await createFixture().send(`${path}?project=acme`);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe('{"result":[{"n":9007199254740993,"s":"é"}]}');
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': '44',
      'x-cache': 'BYPASS',
      'cache-control': 'no-store',
      'x-result-rows': '1',
      'x-result-truncated': 'true',
      'x-content-type-options': 'nosniff',
      'server-timing': expect.stringMatching(
        /^compile;dur=[\d.]+, queue;dur=1, engine;dur=2.35, encode;dur=3$/,
      ),
      etag: expect.stringMatching(/^"[\w-]+"$/),
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(Object.keys(headers)).not.toContain('server');
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(headers).not.toHaveProperty('age');
  });

  test('binds what the text uses: parameters as p_x, the instant as now', async () => {
    const { send, statements } = createFixture();
    await send(`${path}?project=acme`);
    const now = '2026-03-10T12:00:00.000000+00:00';
    const values = { p_project: 'acme', p_limit: null, now };
    expect(statements).toEqual([
      {
        sql: 'stored',
        tables: [],
        steps: [],
        readsOwnRows: false,
        values,
        maxRows: 1,
        redact: false,
      },
    ]);
  });

  test.each([
    '5d9d7c1e-2b44-4b6f-8c1c-9a7f3f5b6e02',
    '5D9D7C1E-2B44-4B6F-8C1C-9A7F3F5B6E02',
    'logs%2Eall',
  ])('comes at the address %s', async (segment) => {
    const response = await createFixture().send(`/api/endpoints/query/${segment}?project=a`);
    expect(response.status).toBe(200);
  });

  test('to HEAD has headers and no body', async () => {
    const { send, statements } = createFixture();
    const response = await send(`${path}?project=acme`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect(response.headers.get('x-result-rows')).toBe('1');
    expect(response.headers.get('content-length')).toBe('44');
    expect(statements).toHaveLength(1);
  });

  test.each([
    ['the tag', (etag: string) => etag, 304],
    ['a list with it', (etag: string) => `"x", W/${etag}`, 304],
    ['*', () => '*', 304],
    ['another tag', () => '"x"', 200],
  ])('to If-None-Match of %s', async (_what, tagFor, status) => {
    const { send } = createFixture();
    const first = await send(`${path}?project=acme`);
    const etag = first.headers.get('etag') ?? '';
    const headers = { 'if-none-match': tagFor(etag) };
    const second = await send(`${path}?project=acme`, { headers });
    expect(second.status).toBe(status);
    expect(second.headers.get('etag')).toBe(etag);
    if (status === 304) expect(await second.text()).toBe('');
  });

  test('must be asked for again if the log files are watched', async () => {
    const { send } = createFixture({ isWatched: true });
    const url = '/api/endpoints/query/cached?project=a';
    const first = await send(url);
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    const tag = first.headers.get('etag') ?? '';
    expect((await send(url, { headers: { 'if-none-match': tag } })).status).toBe(304);
  });

  test('is cached by an endpoint that caches', async () => {
    const { send, statements, wait } = createFixture();
    const url = '/api/endpoints/query/cached?project=a';
    const first = await send(url);
    expect(first.headers.get('x-cache')).toBe('MISS');
    expect(first.headers.get('age')).toBeNull();
    expect(first.headers.get('cache-control')).toBe('private, max-age=60');
    await wait(9_500);
    const second = await send(url);
    expect(Object.fromEntries(second.headers)).toMatchObject({
      'x-cache': 'HIT',
      age: '9',
      'cache-control': 'private, max-age=51',
      'server-timing': expect.stringContaining('engine;dur=0'),
    });
    expect(await second.text()).toBe(await first.text());
    expect(statements).toHaveLength(1);
  });

  test.each([
    ['mine.1_A-b', true],
    ['x'.repeat(128), true],
    ['x'.repeat(129), false],
    ['a b', false],
    ['', false],
  ])('has the request id %j: %s', async (id, kept) => {
    const response = await createFixture().send('/health', { headers: { 'x-request-id': id } });
    expect(response.headers.get('x-request-id') === id).toBe(kept);
  });
});

describe('a refusal', () => {
  test('is one object with every fault', async () => {
    const response = await createFixture().send(`${path}?limit=x`, {
      headers: { 'x-request-id': 'r1' },
    });
    expect(response.status).toBe(400);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual({
      error: {
        code: 400,
        status: 'INVALID_ARGUMENT',
        message:
          'Missing required parameter project; Invalid value for parameter limit: must be an integer of 64 bits',
        errors: [
          {
            reason: 'required',
            message: 'Missing required parameter project',
            location: 'project',
          },
          {
            reason: 'invalid',
            message: 'Invalid value for parameter limit: must be an integer of 64 bits',
            location: 'limit',
          },
        ],
        requestId: 'r1',
      },
    });
  });

  test.each<[string, RequestInit, number, string]>([
    ['/', {}, 404, 'notFound'],
    ['/api/endpoints/query', {}, 404, 'notFound'],
    ['/api/endpoints/query/', {}, 404, 'notFound'],
    ['/api/endpoints/query/logs.all/x', {}, 404, 'notFound'],
    ['/api/endpoints/query/logs.al', {}, 404, 'notFound'],
    ['/api/endpoints/query/%ZZ', {}, 404, 'notFound'],
    ['/api/endpoints/query/00000000-0000-4000-8000-000000000000', {}, 404, 'notFound'],
    [path, { method: 'DELETE' }, 405, 'methodNotAllowed'],
    [path, { method: 'OPTIONS' }, 405, 'methodNotAllowed'],
    ['/health', { method: 'POST' }, 405, 'methodNotAllowed'],
    ['/ready', { method: 'PUT' }, 405, 'methodNotAllowed'],
    [`${path}?project=a&pattern=(`, {}, 400, 'invalid'],
    [`${path}?${'x'.repeat(65_536)}`, {}, 414, 'tooLarge'],
    [path, { headers: { x: 'x'.repeat(65_536) } }, 431, 'tooLarge'],
  ])('%.60s %o: %i %s', async (url, init, status, reason) => {
    const response = await createFixture().send(url, init);
    expect(response.status).toBe(status);
    const error = await errorOf(response);
    expect(error).toMatchObject({ code: status, requestId: response.headers.get('x-request-id') });
    expect(error.errors[0]).toMatchObject({ reason });
    const allow = status !== 405 ? null : url === path ? 'GET, HEAD, POST' : 'GET, HEAD';
    expect(response.headers.get('allow')).toBe(allow);
  });

  test('suggests an endpoint with a similar name', async () => {
    const response = await createFixture().send('/api/endpoints/query/logs.al');
    expect((await errorOf(response)).message).toContain('did you mean logs.all?');
  });

  test('names the invalid pattern, and remembers valid ones', async () => {
    const { send, statements } = createFixture();
    const response = await send(`${path}?project=a&pattern=(`);
    expect((await errorOf(response)).errors[0]).toMatchObject({ location: 'pattern' });
    for (let time = 0; time < 2; time += 1) await send(`${path}?project=a&pattern=ok`);
    const checks = statements.filter(({ sql }) => sql.includes('regexp_matches'));
    expect(checks.map(({ values: { p_pattern } }) => p_pattern)).toEqual(['(', 'ok']);
  });

  test('of a bug reveals nothing internal; the log shows where it happened', async () => {
    const run = () => Promise.reject(new Error('secret inside'));
    const { send, lines } = createFixture({ run });
    const response = await send(`${path}?project=a`, { headers: { 'x-request-id': 'r2' } });
    expect(response.status).toBe(500);
    const text = await response.text();
    expect(text).toContain('"status":"INTERNAL"');
    expect(text).not.toContain('secret');
    expect(lines.join('')).toMatch(/"requestId":"r2".*at run \([^)]*app\.test\.ts/);
    expect(lines.join('')).not.toContain('secret');
  });

  test('of a busy engine says when to retry', async () => {
    const run = () => Promise.reject(new ServiceError('backendBusy', 'The queue is full'));
    const response = await createFixture({ run }).send(`${path}?project=a`);
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '1']);
  });
});

test.each([
  ['True', true],
  ['true, false', true],
  ['false', false],
  ['yes', false],
  ['', false],
])('SVC-ENDPOINT-REDACT-PII: %s', async (value, redact) => {
  const { send, statements } = createFixture();
  await send(`${path}?project=a`, { headers: { 'svc-endpoint-redact-pii': value } });
  expect(statements.map((statement) => statement.redact)).toEqual([redact]);
});
