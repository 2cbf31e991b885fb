import { describe, expect, test } from 'vitest';
import { unboundToken } from '../../src/config/tokens.js';
import { createScope } from '../../src/endpoint/scope.js';
import type { Engine } from '../../src/engine/engine.js';
import { ServiceError, StatementFault } from '../../src/errors/errors.js';
import { failureLine } from '../../src/http/failure-line.js';
import { createFixture, errorOf, path, token } from '../support/app-fixture.js';

describe('reload', () => {
  const ask = (app: ReturnType<typeof createFixture>['app'], key: string, method = 'POST') =>
    app.request('/-/reload', { method, headers: { 'x-api-key': key } });

  test('answers once the files are served', async () => {
    let finish = () => {};
    const reload = () => new Promise<void>((resolve) => (finish = resolve));
    const { app } = createFixture({ reload });
    let answered = false;
    const answer = Promise.resolve(ask(app, token)).then((response) => {
      answered = true;
      return response;
    });
    await new Promise((resolve) => setTimeout(resolve, 10));
    expect(answered).toBe(false);
    finish();
    expect([(await answer).status, await (await answer).text()]).toEqual([
      200,
      '{"status":"reloaded"}',
    ]);
  });

  test('takes a turn', async () => {
    const { app } = createFixture({ reload: async () => {} });
    const client = new AbortController();
    const { signal } = client;
    const headers = { 'x-api-key': token };
    const ask = () => app.request('/-/reload', { method: 'POST', headers, signal });
    const answers = Array.from({ length: 1_002 }, ask);
    await Promise.race(answers);
    client.abort();
    const statuses = (await Promise.all(answers)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200, 499, 503]));
  });

  test('says that it failed, but not why', async () => {
    const reload = () => Promise.reject(new Error('/home/me/logs is gone'));
    const response = await ask(createFixture({ reload }).app, token);
    expect(response.status).toBe(503);
    expect(await response.text()).not.toContain('/home/me');
  });

  test.each([
    ['no token', '', 'POST', 401],
    ['a token of one project', 'the-token-of-acme-1', 'POST', 404],
    ['GET', token, 'GET', 405],
  ])('is refused for %s', async (_what, key, method, status) => {
    let reloads = 0;
    const reload = async () => {
      reloads += 1;
    };
    const acme = {
      ...unboundToken('the-token-of-acme-1'),
      scope: createScope({ project: 'acme' }),
    };
    const response = await ask(createFixture({ reload, tokens: [acme] }).app, key, method);
    expect([response.status, reloads]).toEqual([status, 0]);
    expect((await errorOf(response)).message).not.toBe('');
  });
});

describe('shutdown', () => {
  test('health and readiness need no token', async () => {
    const { app, inFlight } = createFixture();
    for (const url of ['/health', '/ready']) expect((await app.request(url)).status).toBe(200);
    expect(await (await app.request('/health')).text()).toBe('{"status":"ok"}');
    await inFlight.drain();
    expect((await app.request('/health')).status).toBe(200);
    expect((await app.request('/ready')).status).toBe(503);
  });

  test('/ready is 503 without a startable engine process', async () => {
    let canRun = false;
    const { app } = createFixture({ canRun: () => canRun });
    const refused = await app.request('/ready');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect((await app.request('/health')).status).toBe(200);
    canRun = true;
    expect((await app.request('/ready')).status).toBe(200);
  });

  test('waits for requests in flight and refuses new ones', async () => {
    let finish: (() => void) | undefined;
    const result = {
      format: 'json' as const,
      body: Buffer.from('[]'),
      rowCount: 0,
      truncated: false,
    };
    const timings = { queueMs: 0, engineMs: 0, encodeMs: 0 };
    const run: Engine['run'] = () =>
      new Promise((resolve) => {
        finish = () => resolve({ ...result, timings });
      });
    const { send, inFlight } = createFixture({ run });
    const running = send(`${path}?project=a`);
    await expect.poll(() => finish).toBeDefined();
    let closed = false;
    const closing = inFlight.drain().then(() => {
      closed = true;
    });
    const late = await send(`${path}?project=a`);
    expect([late.status, late.headers.get('retry-after'), closed]).toEqual([503, '1', false]);
    finish?.();
    expect((await running).status).toBe(200);
    await closing;
  });

  test("of the caller's connection stops the query", async () => {
    const caller = new AbortController();
    let stopped = false;
    const run: Engine['run'] = (_statement, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          stopped = true;
          reject(signal.reason);
        });
        caller.abort();
      });
    const { send, lines } = createFixture({ run });
    const response = await send(`${path}?project=a`, { signal: caller.signal });
    expect([stopped, response.status]).toEqual([true, 499]);
    expect(lines.join('')).not.toContain('"level":50');
  });
});

describe('the log', () => {
  test.each([
    [false, false],
    [true, true],
  ])('holds SQL and values: %s', async (logQueries, expected) => {
    const { send, lines } = createFixture({ logQueries });
    await send(`${path}?project=top-secret&sql=select+42`, { headers: { 'x-request-id': 'r3' } });
    const [line = ''] = lines;
    expect(JSON.parse(line)).toMatchObject({
      requestId: 'r3',
      endpoint: 'logs.all',
      status: 200,
      rows: 1,
      cache: 'BYPASS',
      engineMs: 2.345,
    });
    expect(line.includes('top-secret') && line.includes('select 42')).toBe(expected);
    expect(line.includes('top-secret') || line.includes('select 42')).toBe(expected);
    expect(line).not.toContain(token);
  });

  test.each<[string, string, Engine['run'] | undefined, object]>([
    [
      'rows',
      `${path}?project=a`,
      undefined,
      { status: 200, rows: 1, cache: 'BYPASS', engineMs: 2.345 },
    ],
    [
      'a query that fails',
      `${path}?project=a`,
      () => Promise.reject(new ServiceError('timeout', 'too long')),
      { status: 504, cache: 'BYPASS', reason: 'timeout', runMs: expect.any(Number) },
    ],
    [
      'one of an endpoint that caches',
      '/api/endpoints/query/cached?project=a',
      () => Promise.reject(new ServiceError('backendBusy', 'full')),
      { status: 503, cache: 'MISS', reason: 'backendBusy', compileMs: expect.any(Number) },
    ],
    ['a request that is refused', path, undefined, { status: 400, reason: 'required' }],
    ['a body that cannot be read', `${path}#POST`, undefined, { status: 400, reason: 'invalid' }],
  ])('tells of %s', async (_what, url, run, expected) => {
    const { send, lines } = createFixture(run === undefined ? {} : { run });
    const [address = '', method = 'GET'] = url.split('#');
    const body =
      method === 'POST' ? { body: '{', headers: { 'content-type': 'application/json' } } : {};
    await send(address, { method, ...body });
    const [, , , , endpoint] = address.split(/[/?]/);
    const always = { requestId: expect.any(String), method, ms: expect.any(Number), endpoint };
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ ...always, ...expected });
  });

  const secret = 'alice@example.com';
  const message = `Conversion Error: '${secret}'\n    at select "${secret}" from logs`;

  test.each([
    [false, false],
    [true, true],
  ])('holds the messages of faults: %s', async (logQueries, expected) => {
    const run: Engine['run'] = async () => {
      const cause = new Error(message, { cause: new TypeError(message) });
      const told = { kind: 'Conversion Error', digest: 'd1', cause };
      throw new StatementFault('the engine failed on a statement', told);
    };
    const { send, lines } = createFixture({ run, logQueries });
    const response = await send(`${path}?project=a`);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain(secret);
    expect(lines.join('').includes(secret)).toBe(expected);
    const { err } = JSON.parse(lines[0] ?? '');
    expect(err).toMatchObject({ kind: 'Conversion Error', digest: 'd1' });
    if (logQueries) return;
    expect(err).toMatchObject({ type: 'StatementFault', cause: { cause: { type: 'TypeError' } } });
    expect(err.cause.cause.stack[0]).toMatch(/^at .*app-life\.test\.ts/);
  });

  test.each([
    ['a text', 'alice@example.com', { type: 'string', stack: [] }],
    [
      'a stack of another message',
      Object.assign(new Error('x'), { stack: message }),
      { stack: [] },
    ],
    ['a code', Object.assign(new Error(message), { code: 'EPIPE' }), { code: 'EPIPE' }],
    ['no code', Object.assign(new Error(message), { code: secret }), { type: 'Error' }],
  ])('tells of %s nothing that it quotes', (_, failure, expected) => {
    const line = failureLine(failure);
    expect(line).toMatchObject(expected);
    expect(JSON.stringify(line)).not.toContain(secret);
  });

  test('follows a cycle of causes only to a limit', () => {
    const ring = new Error('a');
    ring.cause = ring;
    expect(JSON.stringify(failureLine(ring)).split('"cause"').length).toBeLessThan(8);
  });
});
