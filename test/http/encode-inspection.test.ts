import { expect, test } from 'vitest';
import { unboundToken } from '../../src/config/tokens.js';
import { createScope } from '../../src/endpoint/scope.js';
import { createFixture, errorOf, path } from '../support/app-fixture.js';

const bound = 'the-token-of-acme-1';
const tokens = [{ ...unboundToken(bound), scope: createScope({ project: 'acme' }) }];
const schema = { fields: [{ name: 'n', type: 'INT64', mode: 'NULLABLE' }] };

test.each([
  ['GET', '?project=a&dry-run=true', {}],
  ['GET', '?project=a&dry-run=TRUE&explain=false', {}],
  [
    'POST',
    '',
    { body: '{"project":"a","dry-run":true}', headers: { 'content-type': 'application/json' } },
  ],
])('a dry run returns columns and runs nothing: %s %s', async (method, query, init) => {
  const { send, statements } = createFixture();
  const answer = await send(path + query, { method, ...init });
  expect([answer.status, await answer.json()]).toEqual([200, { schema }]);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('server-timing')).toMatch(/^compile;dur=[\d.]+, queue;dur=0$/);
  expect(statements).toEqual([]);
});

test('explain returns the stages, too', async () => {
  const { send, statements } = createFixture();
  const url = `${path}?project=a&explain=true`;
  const { schema: own, stages } = (await (await send(url)).json()) as {
    readonly schema: unknown;
    readonly stages: readonly { readonly name: string }[];
  };
  expect(own).toEqual(schema);
  expect(stages.map(({ name }) => name)).toEqual(['parse', 'print']);
  const text = await send(url, { headers: { accept: 'text/plain' } });
  expect(await text.text()).toBe(
    '-- parse: as GoogleSQL\nSELECT 1\n\n-- print: the statement\nselect 1\n',
  );
  expect(statements).toEqual([]);
});

test('a token that is bound to a project sees no stage that depends on stored logs', async () => {
  const { app } = createFixture({ tokens });
  const answer = await app.request(`${path}?explain=true`, { headers: { 'x-api-key': bound } });
  const { stages } = (await answer.json()) as { readonly stages: readonly unknown[] };
  expect(stages).toEqual([{ name: 'parse', title: 'as GoogleSQL', text: 'SELECT 1' }]);
});

test.each(['?dry-run=true', '?project=a&explain=yes', '?project=a&dry-run=true&dry-run=false'])(
  'its faults are those of a run: %s',
  async (query) => {
    const { send } = createFixture();
    const error = await errorOf(await send(path + query));
    expect(error.code).toBe(400);
  },
);
