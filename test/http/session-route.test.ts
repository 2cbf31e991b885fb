import { describe, expect, test } from 'vitest';
import { createSessionCode } from '../../src/http/session-code.js';
import { createFixture, errorOf, token } from '../support/app-fixture.js';

const json = { 'content-type': 'application/json', host: '127.0.0.1:4000' };

function open(now = () => 0) {
  const session = createSessionCode(token, now);
  const { app, lines } = createFixture({ session, logQueries: true });
  const exchange = (code: string, headers: Record<string, string> = json) =>
    app.request('/api/session', { method: 'POST', headers, body: JSON.stringify({ code }) });
  return { ...session, app, lines, exchange };
}

test('a code is exchanged for the token, once', async () => {
  const { code, exchange } = open();
  const answer = await exchange(code, { ...json, origin: 'http://127.0.0.1:4000' });
  expect([answer.status, await answer.json()]).toEqual([200, { token }]);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const error = await errorOf(await exchange(code));
  expect([error.code, error.message]).toEqual([401, expect.stringContaining('enter the token')]);
});

test('a code ends after an hour', async () => {
  let now = 0;
  const { code, exchange } = open(() => now);
  now = 3_600_000;
  expect((await exchange(code)).status).toBe(401);
});

test('no log line has the code or the token', async () => {
  const { code, exchange, lines } = open();
  await exchange(code);
  expect(lines).toHaveLength(1);
  expect(lines.join()).not.toMatch(new RegExp(`${code}|${token}`));
});

test('without a code every one is unknown', async () => {
  const { app } = createFixture();
  const init = { method: 'POST', headers: json, body: '{"code":""}' };
  const error = await errorOf(await app.request('/api/session', init));
  expect([error.code, error.message]).toEqual([
    401,
    'This server gives out no codes: enter one of its tokens',
  ]);
});

describe('the code survives what is refused', () => {
  test.each<readonly [string, number, Record<string, string>]>([
    ['a page of another origin', 403, { ...json, origin: 'http://evil.example' }],
    ['a page without an origin', 403, { ...json, origin: 'null' }],
    ['a page of another port', 403, { ...json, origin: 'http://127.0.0.1:5000' }],
    ['another scheme', 403, { ...json, origin: 'https://127.0.0.1:4000' }],
    ['a page of another site', 403, { ...json, 'sec-fetch-site': 'cross-site' }],
    ['a page of the same site', 403, { ...json, 'sec-fetch-site': 'same-site' }],
    [
      'a name that was rebound to this machine',
      403,
      { ...json, host: 'evil.example:4000', origin: 'http://evil.example:4000' },
    ],
    ['a name that looks like this machine', 403, { ...json, host: '127.0.0.1.evil.example' }],
    ['no host', 403, { 'content-type': 'application/json' }],
    ['a form, which any page may send', 400, { ...json, 'content-type': 'text/plain' }],
    ['no type', 400, { host: json.host, 'content-type': '' }],
  ])('%s', async (_title, status, headers) => {
    const { code, exchange } = open();
    expect((await exchange(code, headers)).status).toBe(status);
    expect((await exchange(code)).status).toBe(200);
  });

  test.each<readonly [string, number, RequestInit]>([
    ['GET', 405, {}],
    ['an empty body', 400, { method: 'POST', headers: json }],
    ['no JSON', 400, { method: 'POST', headers: json, body: '{' }],
    ['a number', 400, { method: 'POST', headers: json, body: '{"code":1}' }],
    ['a wrong code', 401, { method: 'POST', headers: json, body: '{"code":"__proto__"}' }],
    ['a large body', 413, { method: 'POST', headers: json, body: ' '.repeat(2_000) }],
  ])('%s', async (_title, status, init) => {
    const { app, code, exchange } = open();
    expect((await app.request('/api/session', init)).status).toBe(status);
    expect((await exchange(code)).status).toBe(200);
  });
});
