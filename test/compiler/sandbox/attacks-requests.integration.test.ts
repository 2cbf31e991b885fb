import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canariesIn, makeCanaryFolder } from '../../support/canary-service.js';
import { sample } from '../../support/nightly.js';
import { type Service, startService, token } from '../../support/start-service.js';

// Attacks through parameters, headers and bodies. None may read rows of another project.
const folder = makeCanaryFolder();
let service: Service;

beforeAll(async () => {
  const limits = ['--memory-limit', '1GB', '--query-timeout', '60s'];
  service = await startService(['--data', folder.data, '--now', '2026-03-10T14:00:00Z', ...limits]);
});
afterAll(async () => {
  expect(await service.stop()).toBe(0);
  folder.remove();
});

interface Answer {
  readonly result?: readonly Readonly<Record<string, unknown>>[];
  readonly error?: { readonly errors: readonly [{ readonly reason: string }] };
}

async function send(query: string, init: RequestInit = {}) {
  const response = await fetch(`${service.url}/api/endpoints/query/logs.all${query}`, {
    ...init,
    headers: { 'x-api-key': token, ...init.headers },
  });
  const text = await response.text();
  expect(canariesIn(text)).toEqual([]);
  const { result, error } = JSON.parse(text) as Answer;
  return error?.errors[0].reason ?? result?.map(({ id, a }) => id ?? a) ?? [];
}

const own = ['own-4', 'own-3', 'own-2', 'own-1'];
const sql = `sql=${encodeURIComponent('select id from edge_logs')}`;

describe('no value of the parameter project reads rows of other projects', () => {
  // The logs contain projects with some of these spellings.
  test.each(
    sample(
      [
        '%25',
        'min%25%25',
        'min_',
        '*',
        '.*',
        'min.',
        'MINE2',
        'mIne',
        'mine%20%20',
        '%20mine',
        'mine%00',
        '%00',
        'null',
        'NULL',
        'undefined',
        'true',
        "mine'%20or%20'1'='1",
        "'%20or%20true%20--",
        '["mine"]',
        '{"$ne":null}',
        '@project',
        '$p_project',
        'mine,theirs',
        'mine%0Atheirs',
        'mine%EF%BC%8C',
        '%EF%BD%8Dine',
        'mine%CC%81',
        '__proto__',
        'constructor',
        '%ED%A0%80',
      ],
      3,
    ),
  )('%s', async (value) => {
    for (const table of ['edge_logs', 'function_logs', 'realtime_logs', 'storage_logs']) {
      const text = encodeURIComponent(`select id from ${table}`);
      expect(await send(`?project=${value}&sql=${text}`)).toEqual([]);
    }
  });

  test.each(['', '?project=', '?Project=mine', '?project%00=mine', '?project[]=mine'])(
    'a request without it is refused: %s',
    async (query) => {
      expect(await send(`${query}${query === '' ? '?' : '&'}${sql}`)).toBe('required');
    },
  );
});

describe('parameters', () => {
  test.each([
    ['a repeated one is refused', `?project=nobody&project=mine&${sql}`, 'invalid'],
    ['a repeated one is refused in any order', `?project=mine&project=nobody&${sql}`, 'invalid'],
    ['a repeated one with an equal value is allowed', `?project=mine&project=mine&${sql}`, own],
    ['undeclared ones are ignored', `?project=mine&p_project=theirs&now=1&limit=0&${sql}`, own],
    [
      'prototype keys are ignored',
      `?__proto__=x&constructor=y&toString=z&project=mine&${sql}`,
      own,
    ],
    ['nested keys are ignored', `?__proto__[project]=theirs&project=mine&${sql}`, own],
    [
      'an undeclared one is not available as @name',
      '?project=mine&x=1&sql=select%20@x',
      'invalidQuery',
    ],
    [
      'a property of every object is not available as @name',
      '?project=mine&sql=select%20@toString',
      'invalidQuery',
    ],
    [
      'a second query is refused',
      `?project=mine&sql=select%20id%20from%20secret&${sql}`,
      'invalid',
    ],
    ['SQL in a timestamp', `?project=mine&iso_timestamp_start='%20or%20true--&${sql}`, 'invalid'],
    ['a timestamp in an array', `?project=mine&iso_timestamp_start=["2026"]&${sql}`, 'invalid'],
    ['the far past', `?project=mine&iso_timestamp_start=0001-01-01T00:00:00Z&${sql}`, own],
    ['the far future', `?project=mine&iso_timestamp_end=9999-12-31T23:59:59Z&${sql}`, own],
  ])('%s', async (_title, query, expected) => {
    expect(await send(query)).toEqual(expected);
  });

  test.each([
    ['a key of prototypes', '{"__proto__":{"project":"theirs"},"project":"mine"}', 'invalid'],
    ['only a key of prototypes', '{"__proto__":{"project":"theirs"}}', 'invalid'],
    [
      'a constructor',
      '{"constructor":{"prototype":{"project":"theirs"}},"project":"mine"}',
      'invalid',
    ],
    ['a text under a key of prototypes', '{"__proto__":"theirs","project":"mine"}', own],
    ['a list', '{"project":["mine","theirs"]}', 'invalid'],
    ['an object', '{"project":{"$ne":"mine"}}', 'invalid'],
    ['a key twice', '{"project":"nobody","project":"mine"}', 'invalid'],
    ['no object', '["mine"]', 'invalid'],
  ])('in a body: %s', async (_title, body, expected) => {
    const headers = { 'content-type': 'application/json' };
    expect(await send(`?${sql}`, { method: 'POST', headers, body })).toEqual(expected);
  });
});

describe('headers', () => {
  test.each([
    ['another clock', { 'svc-endpoint-now': '2030-01-01T00:00:00Z' }],
    ['redaction off', { 'svc-endpoint-redact-pii': 'false' }],
    ['another project', { 'x-project': 'theirs', 'svc-endpoint-project': 'theirs' }],
    ['another method', { 'x-http-method-override': 'DELETE' }],
    ['another address', { 'x-forwarded-for': '127.0.0.1', 'x-original-url': '/ready' }],
    ['a request id with a line', { 'x-request-id': 'a b"c' }],
  ])('%s changes nothing', async (_title, headers) => {
    const text = encodeURIComponent(
      'select id from edge_logs where timestamp < current_timestamp()',
    );
    expect(await send(`?project=mine&sql=${text}`, { headers })).toEqual(own);
  });

  test.each([
    ['none', { 'x-api-key': '' }],
    ['a part of the token', { 'x-api-key': token.slice(0, -1) }],
    ['more than the token', { 'x-api-key': `${token}0` }],
    ['in another case', { 'x-api-key': token.toUpperCase() }],
    ['two tokens', { 'x-api-key': `${token}, ${token}` }],
    ['a wrong one and a right one', { 'x-api-key': 'wrong', authorization: `Bearer ${token}` }],
  ])('a token: %s', async (_title, headers) => {
    expect(await send(`?project=mine&${sql}`, { headers })).toBe('authError');
  });
});
