import { describe, expect, test } from 'vitest';
import { unboundToken } from '../../src/config/tokens.js';
import { createScope } from '../../src/endpoint/scope.js';
import { createFixture, path } from '../support/app-fixture.js';

const endpoints = '/v1/projects/acme/analytics/endpoints';
const bearer = { authorization: 'Bearer a-token-of-the-tests' };
const bound = 'a-token-of-acme-only';

function createHosted(options: Parameters<typeof createFixture>[0] = {}) {
  const scope = createScope({ project: 'acme' });
  const tokens = [{ ...unboundToken(bound), scope }];
  return createFixture({ hasManagementApi: true, failsWith200: true, tokens, ...options });
}

test('without the setting there is no such path', async () => {
  const { app } = createFixture();
  const response = await app.request(`${endpoints}/logs.all`, { headers: bearer });
  expect(response.status).toBe(404);
});

test('headers that have no effect are named once, and no value of them', async () => {
  const { send, lines } = createHosted();
  const headers = { 'svc-endpoint-labels': 'secret', 'SVC-ENDPOINT-REDACT-PII': 'true' };
  for (const _ of [1, 2]) await send(`${path}?project=a`, { headers });
  const named = lines.map((line) => JSON.parse(line)).filter(({ header }) => header !== undefined);
  expect(named).toMatchObject([{ level: 40, header: 'svc-endpoint-labels' }]);
  expect(lines.join()).not.toContain('secret');
  const many = Array.from({ length: 30 }, (_, n) => [`svc-${'a'.repeat(n + 1)}`, 'x']);
  await send(`${path}?project=a`, { headers: Object.fromEntries(many) });
  expect(lines.filter((line) => line.includes('"header"'))).toHaveLength(20);
});

describe('an answer', () => {
  test('has the rows as they are written, and no error', async () => {
    const { app, statements } = createHosted();
    const response = await app.request(`${endpoints}/logs.all`, {
      headers: { ...bearer, 'accept-encoding': 'gzip, br' },
    });
    expect([response.status, await response.text()]).toEqual([
      200,
      '{"result":[{"n":9007199254740993,"s":"é"}],"error":null}',
    ]);
    expect(response.headers.get('content-length')).toBeNull();
    expect(response.headers.get('etag')).toBeNull();
    expect(response.headers.get('x-result-rows')).toBe('1');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(statements[0]?.values).toMatchObject({ p_project: 'acme' });
  });

  test('is about the project in the path, whatever else the request says', async () => {
    const { app, statements } = createHosted();
    await app.request(`${endpoints}/logs.all?project=other`, { headers: bearer });
    expect(statements[0]?.values).toMatchObject({ p_project: 'acme' });
  });
});

describe('an error has its status, and its message at the top', () => {
  test.each([
    ['an unknown token', 'logs.all', { authorization: 'Bearer none' }, 401, 'A valid token'],
    ['no token', 'logs.all', {}, 401, 'A valid token'],
    ['a failed query', 'logs.all?pattern=(', bearer, 400, 'missing )'],
    ['an unknown endpoint', 'logs.al', bearer, 404, 'did you mean logs.all?'],
    ['another dialect', 'logs?sql=select%201', bearer, 404, 'ClickHouse SQL over one table'],
  ])('%s', async (_name, endpoint, headers, status, message) => {
    const { app } = createHosted();
    const response = await app.request(`${endpoints}/${endpoint}`, { headers: { ...headers } });
    expect(response.status).toBe(status);
    const body = (await response.json()) as { readonly error: { readonly message: string } };
    expect(body).toEqual({
      message: expect.stringContaining(message),
      error: expect.objectContaining({ code: status, message: body.error.message }),
    });
  });

  test('a project that the token may not see', async () => {
    const { app } = createHosted();
    const headers = { authorization: `Bearer ${bound}` };
    const ask = async (project: string) =>
      (await app.request(`/v1/projects/${project}/analytics/endpoints/logs.all`, { headers }))
        .status;
    expect([await ask('acme'), await ask('other')]).toEqual([200, 403]);
  });

  test('elsewhere, a failed query keeps status 200', async () => {
    const { send } = createHosted();
    const response = await send(`${path}?project=a&pattern=(`);
    expect([response.status, await response.text()]).toEqual([
      200,
      '{"error":"Invalid value for parameter pattern: missing )"}',
    ]);
  });
});

test('the endpoint of another dialect is named to callers with a token only', async () => {
  const { app } = createHosted();
  const url = `${endpoints}/logs?sql=select%201&iso_timestamp_start=x`;
  expect((await app.request(url)).status).toBe(401);
  const response = await app.request(url, { headers: bearer });
  expect(response.status).toBe(404);
  expect(JSON.parse(await response.text()).message).toContain('ClickHouse SQL');
});
