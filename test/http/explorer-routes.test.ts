import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openExplorer, readPageFiles } from '../../src/http/explorer-routes.js';
import { isLoopback } from '../../src/http/loopback.js';
import { createFixture, errorOf } from '../support/app-fixture.js';

const folder = mkdtempSync(join(tmpdir(), 'log-endpoints-page-'));
const html = '<!doctype html><title>Logs</title>';
const script = `const text = ${JSON.stringify('a'.repeat(5_000))};`;

beforeAll(() => {
  writeFileSync(join(folder, 'index.html'), html);
  writeFileSync(join(folder, 'app-1A2B3C4D.js'), script);
  writeFileSync(join(folder, 'notes.secret'), 'of another type');
  mkdirSync(join(folder, 'deep.js'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function openPage() {
  return createFixture({ explorer: { files: readPageFiles(folder) } }).app;
}

describe('the page', () => {
  test('/ is its HTML, for anybody', async () => {
    const answer = await openPage().request('/');
    expect([answer.status, await answer.text()]).toEqual([200, html]);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
  });

  test('its headers keep others out', async () => {
    const { headers } = await openPage().request('/');
    const policy = headers.get('content-security-policy');
    expect(policy).toBe(
      "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
    );
    expect({ ...Object.fromEntries(headers) }).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    });
  });

  test('a file whose name has a hash may be kept for ever', async () => {
    const answer = await openPage().request('/explorer/app-1A2B3C4D.js');
    expect(await answer.text()).toBe(script);
    expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(answer.headers.get('cache-control')).toContain('immutable');
  });

  test('a large file is compressed', async () => {
    const headers = { 'accept-encoding': 'br' };
    const answer = await openPage().request('/explorer/app-1A2B3C4D.js', { headers });
    expect(answer.headers.get('content-encoding')).toBe('br');
    const body = Buffer.from(await answer.arrayBuffer());
    expect(body.length).toBeLessThan(500);
    expect(brotliDecompressSync(body).toString()).toBe(script);
  });

  test.each(['/', '/explorer/app-1A2B3C4D.js'])('%s is a 304 if it is known', async (path) => {
    const app = openPage();
    const etag = (await app.request(path)).headers.get('etag') ?? '';
    const again = await app.request(path, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
  });

  test.each([
    '/explorer/missing.js',
    '/explorer/notes.secret',
    '/explorer/deep.js',
    '/explorer/..%2Findex.html',
    '/explorer/%2Fetc%2Fpasswd',
    '/explorer/',
    '/explorer',
    '/explorer/__proto__',
  ])('%s is no path', async (path) => {
    expect((await errorOf(await openPage().request(path))).message).toBe('No such path');
  });

  test.each(['/', '/explorer/app-1A2B3C4D.js'])('%s only takes GET and HEAD', async (path) => {
    const app = openPage();
    const refused = await app.request(path, { method: 'POST' });
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    const head = await app.request(path, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });
});

test('where it is off, / names the setting', async () => {
  const { app } = createFixture({ explorer: openExplorer('off') });
  const error = await errorOf(await app.request('/'));
  expect([error.code, error.message]).toEqual([
    404,
    'No such path: the explorer, which would be here, is off (--explorer on)',
  ]);
});

test('a folder without a page has no files', () => {
  expect(readPageFiles(join(folder, 'missing')).size).toBe(0);
  expect(readPageFiles(join(folder, 'deep.js')).size).toBe(0);
});

test.each([
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['localhost', true],
  ['LOCALHOST', true],
  ['::1', true],
  ['[::1]', true],
  ['0:0:0:0:0:0:0:1', true],
  ['::ffff:127.0.0.1', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.168.0.7', false],
  ['127.0.0.1.example', false],
  ['localhost.example', false],
  ['', false],
])('%s is a loopback address: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

describe('the functions', () => {
  test('are listed for a token', async () => {
    const answer = await createFixture().send('/api/functions');
    const { functions } = (await answer.json()) as { readonly functions: readonly unknown[] };
    expect([answer.status, functions.length > 200]).toEqual([200, true]);
  });

  test.each([
    ['without a token', {}, 401],
    ['as a POST', { method: 'POST' }, 405],
  ])('%s they are refused', async (_title, init, status) => {
    const answer = await createFixture().app.request('/api/functions', init);
    expect(answer.status).toBe(status);
  });
});
