import { afterEach, describe, expect, test } from 'vitest';
import { unboundToken } from '../../src/config/tokens.js';
import { createScope } from '../../src/endpoint/scope.js';
import type { Engine } from '../../src/engine/engine.js';
import { type Listening, listen } from '../../src/http/listen.js';
import { createFixture, errorOf, type Options, path } from '../support/app-fixture.js';

const counts = '/api/endpoints/query/usage.api-counts';
const cached = '/api/endpoints/query/cached';
const countsId = '22222222-3333-4444-8555-666666666666';

/** A token for each scope, and two of acme's. */
const tokens = [
  {
    ...unboundToken('the-token-of-acme-1'),
    scope: createScope({ project: 'acme' }),
    label: 'acme one',
  },
  { ...unboundToken('the-token-of-acme-2'), scope: createScope({ project: 'acme' }) },
  { ...unboundToken('the-token-of-blue-1'), scope: createScope({ project: 'blue' }) },
  {
    ...unboundToken('the-token-of-logs-1'),
    scope: createScope({ endpoints: new Set(['logs.all', 'cached']) }),
  },
];
const keyOf = (name: string) => ({ 'x-api-key': `the-token-of-${name}` });

function createApp(options: Options = {}) {
  const fixture = createFixture({ tokens, ...options });
  const ask = (name: string, url: string, init: RequestInit = {}) =>
    fixture.app.request(url, { ...init, headers: { ...keyOf(name), ...init.headers } });
  return { ...fixture, ask };
}

describe('a token that is bound to a project', () => {
  test.each<[string, string, RequestInit]>([
    ['it is absent', '', {}],
    ['it is empty', '?project=', {}],
    ['it is the same', '?project=acme', {}],
    ['there are others', '?limit=1', {}],
    ['a body has it', '', { method: 'POST', body: new URLSearchParams({ project: 'acme' }) }],
  ])('has it filled in where %s', async (_what, query, init) => {
    const { ask, statements } = createApp();
    const response = await ask('acme-1', `${path}${query}`, init);
    expect(response.status).toBe(200);
    expect(statements.at(-1)?.values).toMatchObject({ p_project: 'acme' });
  });

  test('is told no project but its own', async () => {
    const { ask, statements } = createApp();
    const response = await ask('acme-1', '/api/projects');
    expect(await response.json()).toEqual({ projects: ['acme'] });
    expect(statements).toEqual([]);
  });

  test.each<[string, string, RequestInit]>([
    ['in the URL', '?project=blue', {}],
    ['in a body', '', { method: 'POST', body: new URLSearchParams({ project: 'blue' }) }],
    ['in another letter case', '?project=Acme', {}],
    ['with a query of its own', '?project=blue&sql=select+1', {}],
  ])('may ask for no other %s', async (_what, query, init) => {
    const { ask, statements } = createApp();
    const response = await ask('acme-1', `${path}${query}`, init);
    expect(response.status).toBe(403);
    expect(await errorOf(response)).toMatchObject({
      code: 403,
      status: 'PERMISSION_DENIED',
      errors: [{ reason: 'accessDenied', location: 'project' }],
    });
    expect(statements).toEqual([]);
  });

  test.each(['?project=acme&project=blue', '?project=blue&project=acme'])(
    'cannot bring a second one: %s',
    async (query) => {
      const { ask, statements } = createApp();
      expect([400, 403]).toContain((await ask('acme-1', `${path}${query}`)).status);
      expect(statements).toEqual([]);
    },
  );

  test('is bound to a pattern where the parameter is a regular expression', async () => {
    const { ask, statements } = createApp();
    expect((await ask('acme-1', counts)).status).toBe(200);
    expect(statements.at(-1)?.values).toMatchObject({ p_project: 'acme' });
    expect((await ask('acme-1', `${counts}?project=.`)).status).toBe(403);
  });
});

describe('a token that is bound to endpoints', () => {
  test('may run those', async () => {
    const { ask } = createApp();
    expect((await ask('logs-1', `${path}?project=a`)).status).toBe(200);
  });

  // As if it did not exist: the same message, and no suggestion.
  test.each(['usage.api-counts', countsId, countsId.toUpperCase(), 'usage.api-count', 'none'])(
    'does not find %s',
    async (name) => {
      const { ask, statements } = createApp();
      const response = await ask('logs-1', `/api/endpoints/query/${name}?project=a&sql=x`);
      expect(response.status).toBe(404);
      const { message, errors } = await errorOf(response);
      expect(message).toBe(`Endpoint not found: ${name}`);
      expect(errors).toMatchObject([{ reason: 'notFound' }]);
      expect(statements).toEqual([]);
    },
  );

  test('gets suggestions of its own endpoints only', async () => {
    const { ask } = createApp();
    const { message } = await errorOf(await ask('logs-1', '/api/endpoints/query/logs.al'));
    expect(message).toBe('Endpoint not found: logs.al; did you mean logs.all?');
  });

  test('counts as a request to an unknown endpoint', async () => {
    const { ask, app } = createApp();
    await ask('logs-1', counts);
    const text = await (await app.request('/metrics')).text();
    expect(text).toContain('requests_total{endpoint="unknown",status="404"} 1');
    expect(text).not.toContain('usage.api-counts');
  });
});

describe('cached rows', () => {
  const stateOf = async (response: Response | Promise<Response>) =>
    (await response).headers.get('x-cache');

  test('belong to one scope, even for equal requests', async () => {
    const { ask, send, wait } = createApp();
    const url = `${cached}?project=acme`;
    expect(await stateOf(send(url))).toBe('MISS');
    expect(await stateOf(send(url))).toBe('HIT');
    await wait(5_000);
    expect(await stateOf(ask('acme-1', url))).toBe('MISS');
    const again = await ask('acme-2', cached);
    expect([again.headers.get('x-cache'), again.headers.get('age')]).toEqual(['HIT', '0']);
    expect(await stateOf(ask('logs-1', url))).toBe('MISS');
  });

  test('are computed once for concurrent requests within a scope', async () => {
    let runs = 0;
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const timings = { queueMs: 0, engineMs: 0, encodeMs: 0 };
    const run: Engine['run'] = async (_statement, { onStart }) => {
      runs += 1;
      onStart?.();
      await finished;
      return { format: 'json', body: Buffer.from('[]'), rowCount: 0, truncated: false, timings };
    };
    const { ask } = createApp({ run });
    const url = `${cached}?project=acme`;
    const asked = ['acme-1', 'acme-2', 'logs-1', 'acme-1'].map((name) => ask(name, url));
    await expect.poll(() => runs).toBe(2);
    finish();
    for (const response of await Promise.all(asked)) expect(response.status).toBe(200);
    expect(runs).toBe(2);
  });

  test('are renewed for their scope', async () => {
    const { ask, statements, wait } = createApp();
    await ask('acme-1', counts);
    const before = statements.length;
    await wait(300_000);
    expect(statements.length).toBe(before + 1);
    const renewed = await ask('acme-2', counts);
    expect([renewed.headers.get('x-cache'), renewed.headers.get('age')]).toEqual(['HIT', '0']);
  });

  test('a pattern is checked once for each scope', async () => {
    const { ask, statements } = createApp();
    for (const name of ['acme-1', 'acme-2', 'logs-1', 'logs-1']) {
      await ask(name, `${path}?project=acme&pattern=x`);
    }
    const tried = statements.filter(({ values: { p_pattern } }) => p_pattern === 'x');
    expect(tried).toHaveLength(2);
  });
});

describe('over the wire', () => {
  let server: Listening | undefined;
  afterEach(() => server?.close(0));

  async function start() {
    const { app, lines } = createApp();
    server = await listen(app.fetch, { host: '127.0.0.1', port: 0 });
    const { url } = server;
    const ask = (name: string, target: string) =>
      fetch(`${url}${target}`, { headers: keyOf(name) });
    return { ask, lines };
  }

  test('a repeated request is answered from the cache for its own token only', async () => {
    const { ask } = await start();
    const url = `${counts}?project=acme`;
    for (const state of ['MISS', 'HIT', 'HIT']) {
      expect((await ask('acme-1', url)).headers.get('x-cache')).toBe(state);
    }
    expect((await ask('blue-1', url)).status).toBe(403);
    expect((await ask('logs-1', url)).status).toBe(404);
  });

  test('the log has the label, and never the token', async () => {
    const { ask, lines } = await start();
    const url = `${counts}?project=acme`;
    for (const name of ['acme-1', 'acme-1', 'acme-2']) await ask(name, url);
    await ask('acme-1', path.replace('logs', 'no-logs'));
    const callers = lines.map((line) => JSON.parse(line).caller);
    expect(callers).toEqual(['acme one', 'acme one', undefined, 'acme one']);
    expect(lines.join()).not.toContain('the-token-of');
  });
});
