import { randomBytes } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import type { Engine } from '../../src/engine/engine.js';
import { acceptedCoding } from '../../src/http/compress-body.js';
import { createFixture } from '../support/app-fixture.js';

test.each([
  [null, undefined],
  ['', undefined],
  ['gzip', 'gzip'],
  ['gzip, deflate, br, zstd', 'br'],
  ['br;q=0.5, GZIP', 'gzip'],
  ['gzip;q=0', undefined],
  ['*', 'br'],
  ['br;q=0, *;q=0.1', 'gzip'],
  ['identity, gzip;q=0.5', undefined],
  ['deflate', undefined],
] as const)('Accept-Encoding: %s', (header, coding) => {
  expect(acceptedCoding(header)).toBe(coding);
});

const rows = JSON.stringify([{ text: 'a long text '.repeat(200) }]);
const json = `{"result":${rows}}`;

/** An app whose rows are these. */
function createApp(text = rows) {
  const timings = { queueMs: 0, engineMs: 0, encodeMs: 0 };
  const run: Engine['run'] = async ({ format = 'json' }) => {
    return { format, body: Buffer.from(text), rowCount: 1, truncated: false, timings };
  };
  const { send } = createFixture({ run });
  return (acceptEncoding: string, format = 'json', headers = {}) =>
    send(`/api/endpoints/query/cached?project=acme&format=${format}`, {
      headers: { 'accept-encoding': acceptEncoding, ...headers },
    });
}

describe('a body over 1 KB', () => {
  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('is compressed for who accepts %s', async (coding, decompress) => {
    const send = createApp();
    const response = await send(coding);
    const body = Buffer.from(await response.arrayBuffer());
    expect(response.headers.get('content-encoding')).toBe(coding);
    expect(response.headers.get('content-length')).toBe(String(body.length));
    expect(response.headers.get('vary')).toBe('Accept, Accept-Encoding');
    expect(decompress(body).toString()).toBe(json);
  });

  test('has a tag for each coding', async () => {
    const send = createApp();
    const tags = await Promise.all(
      ['', 'br', 'gzip'].map(async (coding) => (await send(coding)).headers.get('etag') ?? ''),
    );
    expect(new Set(tags).size).toBe(3);
    const [plain = '', br = ''] = tags;
    expect((await send('br', 'json', { 'if-none-match': br })).status).toBe(304);
    expect((await send('br', 'json', { 'if-none-match': plain })).status).toBe(200);
  });
});

test.each([
  ['small', '[{"a":1}]', 'json'],
  ['random', JSON.stringify([randomBytes(4000).toString('base64')]), 'json'],
  ['compressed already', rows, 'parquet'],
])('a body that is %s is sent as it is', async (_what, text, format) => {
  const response = await createApp(text)('br, gzip', format);
  expect(response.headers.get('content-encoding')).toBeNull();
  expect(await response.text()).toContain(text);
});
