import { request } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import { unboundToken } from '../../src/config/tokens.js';
import { createScope } from '../../src/endpoint/scope.js';
import type { Engine } from '../../src/engine/engine.js';
import { type Listening, listen } from '../../src/http/listen.js';
import { createFixture, type Options, token } from '../support/app-fixture.js';

// A repeated request is answered without being compiled, so everything its answer depends on must tell requests apart.
const counts = '/api/endpoints/query/usage.api-counts?project=acme';
const other = 'another-known-token';

/** Each run returns different rows, so that an answer shows which run it came from. */
function createRows(): Engine['run'] {
  let runs = 0;
  const timings = { queueMs: 0, engineMs: 0, encodeMs: 0 };
  return async ({ redact, values }) => {
    // The check of a pattern is not a run.
    runs += 'p_pattern' in values ? 0 : 1;
    const json = Buffer.from(JSON.stringify([{ run: runs, redact }]));
    return { format: 'json', body: json, rowCount: 1, truncated: false, timings };
  };
}

let server: Listening | undefined;
afterEach(() => server?.close(0));

async function start(options: Options = {}) {
  const fixture = createFixture({ run: createRows(), ...options });
  server = await listen(fixture.app.fetch, { host: '127.0.0.1', port: 0 });
  const { url } = server;
  return { ...fixture, ask: (asked: Asked = {}) => ask(url, asked) };
}

interface Asked {
  readonly method?: string;
  readonly path?: string;
  /** Names and values in turn, as sent over the wire. */
  readonly headers?: readonly string[];
  readonly body?: string;
}

/** Sends the headers as given, including repeated ones. */
function ask(url: string, { method = 'GET', path = counts, headers, body = '' }: Asked) {
  const given = headers ?? ['x-api-key', token];
  const all = [
    'host',
    'localhost',
    ...given,
    ...(body === '' ? [] : ['content-length', `${body.length}`]),
  ];
  return new Promise<Answer>((resolve, reject) => {
    const sent = request(`${url}${path}`, { method, headers: all }, (response) => {
      let text = '';
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () => {
        const { 'x-cache': state, age, ...rest } = response.headers;
        resolve({ status: response.statusCode ?? 0, state, age, text, headers: rest });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

interface Answer {
  readonly status: number;
  readonly state: unknown;
  readonly age: string | undefined;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

const first = '{"result":[{"run":1,"redact":false}]}';
const second = '{"result":[{"run":2,"redact":true}]}';

describe('a repeated request', () => {
  test('gets the same answer with its own request id', async () => {
    const { ask: send, wait, lines } = await start();
    const one = await send();
    await wait(5_000);
    const two = await send({ headers: ['x-api-key', token, 'x-request-id', 'own-1'] });
    const three = await send({ headers: ['x-api-key', token, 'x-request-id', 'not one'] });
    expect([one, two, three].map(({ state, age, text }) => [state, age, text])).toEqual([
      ['MISS', undefined, first],
      ['HIT', '5', first],
      ['HIT', '5', first],
    ]);
    expect(two.headers).toMatchObject({
      'x-request-id': 'own-1',
      'cache-control': 'private, max-age=895',
    });
    expect(three.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    const names = (answer: Answer) => Object.keys(answer.headers).sort();
    expect(names(two)).toEqual(names(one));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { endpoint: 'usage.api-counts', status: 200, cache: 'MISS', rows: 1 },
      {
        endpoint: 'usage.api-counts',
        status: 200,
        cache: 'HIT',
        rows: 1,
        engineMs: 0,
        requestId: 'own-1',
      },
      { endpoint: 'usage.api-counts', status: 200, cache: 'HIT', rows: 1, compileMs: 0 },
    ]);
  });

  test('gets the format and the encoding that it asks for', async () => {
    const timings = { queueMs: 0, engineMs: 0, encodeMs: 0 };
    const run: Engine['run'] = async ({ format = 'json' }) => {
      const body = Buffer.from(JSON.stringify([{ format, text: 'x'.repeat(2_000) }]));
      return { format, body, rowCount: 1, truncated: false, timings };
    };
    const { ask: send } = await start({ run });
    for (const state of ['MISS', 'HIT']) {
      for (const format of ['application/x-ndjson', 'text/csv']) {
        const answer = await send({ headers: ['x-api-key', token, 'accept', format] });
        expect(answer).toMatchObject({ state });
        expect(answer.headers['content-type']).toContain(format);
      }
    }
    for (const coding of ['gzip', 'br', '', 'gzip', 'br', '']) {
      const { headers } = await send({ headers: ['x-api-key', token, 'accept-encoding', coding] });
      expect(headers['content-encoding'] ?? '').toBe(coding);
    }
  });

  test('is computed again once its rows have expired', async () => {
    const { ask: send, wait } = await start();
    const path = '/api/endpoints/query/cached?project=acme';
    await send({ path });
    await wait(59_999);
    expect(await send({ path })).toMatchObject({ state: 'HIT', age: '59', text: first });
    await wait(1);
    expect(await send({ path })).toMatchObject({ state: 'MISS', text: first.replace('1', '2') });
  });

  test('is refused once the server drains', async () => {
    const { ask: send, inFlight } = await start();
    await send();
    await send();
    await inFlight.drain();
    expect(await send()).toMatchObject({ status: 503 });
  });
});

describe('a request that differs', () => {
  const key = ['x-api-key', token];
  const differing: readonly (readonly [string, Asked, Partial<Answer>])[] = [
    ['in having no token', { headers: [] }, { status: 401 }],
    ['in a wrong token', { headers: ['x-api-key', `${token}x`] }, { status: 401 }],
    [
      'in a second token that is wrong',
      { headers: ['x-api-key', token, 'x-api-key', 'wrong'] },
      { status: 401 },
    ],
    [
      'in another known token',
      { headers: ['x-api-key', other] },
      { status: 200, state: 'HIT', text: first },
    ],
    [
      'in the way of its token',
      { headers: ['authorization', `Bearer ${token}`] },
      { status: 200, state: 'HIT', text: first },
    ],
    [
      'in a token beside the other',
      { headers: ['x-api-key', 'wrong', 'authorization', `Bearer ${token}`] },
      { status: 401 },
    ],
    [
      'in redaction',
      { headers: [...key, 'SVC-Endpoint-Redact-PII', 'true'] },
      { status: 200, state: 'MISS', text: second },
    ],
    [
      'in redaction that is said twice',
      { headers: [...key, 'svc-endpoint-redact-pii', 'false', 'svc-endpoint-redact-pii', 'true'] },
      { status: 200, state: 'MISS', text: second },
    ],
    [
      'in a parameter',
      { path: `${counts}&x=1`, headers: key },
      { status: 200, state: 'HIT', text: first },
    ],
    ['in a value', { path: counts.replace('acme', 'blue') }, { status: 200, state: 'MISS' }],
    [
      'in its endpoint',
      { path: counts.replace('usage.api-counts', 'logs.all') },
      { status: 200, state: 'BYPASS' },
    ],
    ['in its method', { method: 'DELETE' }, { status: 405 }],
    ['in asking for the head', { method: 'HEAD' }, { status: 200, state: 'HIT', text: '' }],
    [
      'in having a body',
      {
        method: 'POST',
        headers: [...key, 'content-type', 'application/json'],
        body: '{"project":"blue"}',
      },
      { status: 400 },
    ],
    [
      'in having the rows',
      { headers: [...key, 'if-none-match', '*'] },
      { status: 304, state: 'HIT', text: '' },
    ],
    [
      'in much that is in no answer',
      { headers: [...key, 'x-other', 'x'.repeat(70_000)] },
      { status: 431 },
    ],
  ];

  test.each(differing)('%s gets an answer of its own', async (_what, asked, expected) => {
    const { ask: send } = await start();
    await send();
    await send();
    expect(await send(asked)).toMatchObject(expected);
    // And the first request still gets its own answer.
    expect(await send()).toMatchObject({ status: 200, state: 'HIT', text: first });
  });

  test('in its clock, where callers may set it, gets an answer of its own', async () => {
    const { ask: send } = await start({ allowNowHeader: true });
    await send();
    await send();
    const asked = { headers: [...key, 'SVC-ENDPOINT-NOW', '2026-01-01T00:00:00Z'] };
    expect(await send(asked)).toMatchObject({ state: 'MISS' });
    expect(await send(asked)).toMatchObject({ state: 'HIT' });
  });
});

test('with CORS origins configured, every response has CORS headers', async () => {
  const { ask: send } = await start({ corsOrigins: ['https://ok.example'] });
  await send();
  expect((await send()).headers).toMatchObject({ vary: 'Accept, Accept-Encoding, Origin' });
});

test('with --log-queries, every request is logged with its parameters', async () => {
  const { ask: send, lines } = await start({ logQueries: true });
  await send();
  await send();
  expect(lines.map((line) => JSON.parse(line).parameters)).toEqual([
    { project: 'acme' },
    { project: 'acme' },
  ]);
});

describe('a token that is bound', () => {
  const bound = (name: string, scope: Parameters<typeof createScope>[0]) => {
    return { ...unboundToken(name), scope: createScope(scope) };
  };
  const tokens = [
    bound('a-token-of-project-blue', { project: 'blue' }),
    bound('a-token-of-other-endpoints', { endpoints: new Set(['cached']) }),
  ];

  test('gets none of the rows that a repeated request has given others', async () => {
    const { ask: send } = await start({ tokens });
    await send();
    expect(await send()).toMatchObject({ state: 'HIT' });
    const asBlue = { headers: ['x-api-key', 'a-token-of-project-blue'] };
    expect(await send(asBlue)).toMatchObject({ status: 403 });
    const asOther = { headers: ['x-api-key', 'a-token-of-other-endpoints'] };
    expect(await send(asOther)).toMatchObject({ status: 404 });
  });

  test('has an age of its own', async () => {
    const { ask: send, wait } = await start({ tokens });
    const path = counts.replace('acme', 'blue');
    const asBlue = { path, headers: ['x-api-key', 'a-token-of-project-blue'] };
    for (const asked of [{ path }, asBlue]) {
      expect(await send(asked)).toMatchObject({ state: 'MISS' });
      await wait(5_000);
    }
    expect(await send({ path })).toMatchObject({ state: 'HIT', age: '10' });
    expect(await send(asBlue)).toMatchObject({ state: 'HIT', age: '5' });
  });
});

test('a result that is kept for an endpoint that does not cache has the headers and the line of any other', async () => {
  const options = { maxKeptBytes: 1_000_000, fixedNow: '2026-03-10T12:00:00.000000+00:00' };
  const { ask: send, statements, lines } = await start(options);
  const path = '/api/endpoints/query/logs.all?project=acme';
  const answers = [await send({ path }), await send({ path }), await send({ path })];
  expect(statements).toHaveLength(1);
  for (const { status, state, text, headers } of answers) {
    expect({ status, state, text }).toEqual({ status: 200, state: 'BYPASS', text: first });
    expect(headers).toMatchObject({ 'cache-control': 'no-store', 'x-result-rows': '1' });
  }
  const names = answers.map(({ headers }) => Object.keys(headers).sort());
  expect(names[2]).toEqual(names[0]);
  const keys = lines.map((line) => Object.keys(JSON.parse(line)));
  expect(keys[2]).toEqual(keys[0]);
  expect(await send({ path: `${path}&limit=3` })).toMatchObject({ text: first.replace('1', '2') });
});

test('an answer of which a part is missing says so each time', async () => {
  const timings = { queueMs: 0, engineMs: 0, encodeMs: 0 };
  const run: Engine['run'] = async () => {
    const rows = { format: 'json', body: Buffer.from('[{}]'), rowCount: 1 } as const;
    return { ...rows, truncated: false, timings, note: 'a part is missing' };
  };
  const { ask: send } = await start({ run });
  for (const state of ['MISS', 'HIT', 'HIT']) {
    const { state: given, headers } = await send();
    expect([given, headers['x-result-note']]).toEqual([state, 'a part is missing']);
  }
});
