import { expect, test } from 'vitest';
import { ServiceError } from '../../src/errors/errors.js';
import { createFixture, path, token } from '../support/app-fixture.js';

const asked = `${path}?project=a`;
const failing = (reason: 'invalidQuery' | 'timeout' | 'backendBusy' | 'internalError') =>
  createFixture({
    failsWith200: true,
    run: async () => {
      throw new ServiceError(reason, 'why');
    },
  });

test.each(['invalidQuery', 'timeout'] as const)(
  '%s is a message with status 200',
  async (reason) => {
    const response = await failing(reason).send(asked);
    expect([response.status, await response.text()]).toEqual([200, '{"error":"why"}']);
    expect(response.headers.get('x-request-id')).not.toBeNull();
  },
);

test.each([
  ['backendBusy', 503],
  ['internalError', 500],
] as const)('%s keeps its status', async (reason, status) => {
  const response = await failing(reason).send(asked);
  expect(response.status).toBe(status);
  expect(await response.json()).toMatchObject({ error: { code: status } });
});

test.each([
  ['a missing parameter', path, {}, 200],
  ['no token', asked, { 'x-api-key': '' }, 401],
  ['an unknown endpoint', '/api/endpoints/query/none?project=a', {}, 404],
  ['another path', '/none', {}, 404],
])('%s: the status is %o', async (_name, url, headers, status) => {
  const { app } = createFixture({ failsWith200: true });
  const response = await app.request(url, { headers: { 'x-api-key': token, ...headers } });
  expect(response.status).toBe(status);
});

test.each(['/api/endpoints/query/name/logs.all', '/endpoints/query/logs.all'])(
  '%s is a path of an endpoint',
  async (other) => {
    const { send } = createFixture();
    const [one, two] = [await send(asked), await send(`${other}?project=a`)];
    expect(await two.text()).toBe(await one.text());
    expect((await send(other, { method: 'PUT' })).status).toBe(405);
  },
);
