import { expect, test } from 'vitest';
import { sliceJson } from '../../src/values/slice-json.js';
import { createFixture, errorOf, path } from '../support/app-fixture.js';
import { cpuMsOf } from '../support/cpu-time.js';

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const times = (count: number, of: (place: number) => string, between: string) =>
  Array.from({ length: count }, (_, place) => of(place)).join(between);
const members = (count: number) => `{"project":"a",${times(count - 1, (n) => `"x${n}":1`, ',')}}`;
const pairs = (count: number) => `project=a&&${times(count - 1, (n) => `x${n}=1`, '&')}`;

/** A multipart form with that many parts, as a browser sends it. */
function multipart(count: number): RequestInit {
  const head = 'Content-Disposition: form-data; name=';
  const part = (n: number) => `${head}"${n === 0 ? 'project' : `x${n}`}"\r\n\r\na\r\n`;
  const line = '------WebKitFormBoundary0123456789abcdef';
  const body = `${line}\r\n${times(count, part, `${line}\r\n`)}${line}--\r\n`;
  const type = `multipart/form-data; boundary="${line.slice(2)}"`;
  return { headers: { 'content-type': type }, body };
}

test.each<[string, (count: number) => RequestInit]>([
  ['members of a JSON object', (count) => ({ headers: json, body: members(count) })],
  ['pairs of a form', (count) => ({ headers: form, body: pairs(count) })],
  ['parts of a multipart form', multipart],
])('100 %s are taken, 101 refused', async (_what, init) => {
  const { send } = createFixture({ maxBodyBytes: 100_000 });
  const ask = (count: number) => send(path, { method: 'POST', ...init(count) });
  expect((await ask(100)).status).toBe(200);
  const refused = await ask(101);
  expect(refused.status).toBe(413);
  expect(await errorOf(refused)).toMatchObject({
    message: 'The body has more than its limit of 100 parameters',
    errors: [{ reason: 'tooLarge' }],
  });
});

test.each([
  ['within 32 KB', 150, 200],
  ['over 32 KB', 165, 413],
])('the parts of a form may have headers %s', async (_what, count, status) => {
  const { send } = createFixture({ maxBodyBytes: 200_000 });
  const { body, ...init } = multipart(2);
  const head = `\r\n${`X: ${'x'.repeat(95)}\r\n`.repeat(count)}\r\n${'a'.repeat(40_000)}`;
  const long = String(body).replaceAll('\r\n\r\na', head);
  const response = await send(path, { method: 'POST', ...init, body: long });
  expect(response.status).toBe(status);
});

test.each([path, '/mcp', '/api/session'])('%s takes no compressed body', async (url) => {
  const { send } = createFixture({ mcp: { limits: { maxRows: 1, maxBytes: 1000 }, version: '1' } });
  const own = { 'sec-fetch-site': 'same-origin', host: 'localhost', ...json };
  const ask = (coding: string) => {
    const headers = { ...own, 'content-encoding': coding };
    return send(url, { method: 'POST', headers, body: '{"project":"a"}' });
  };
  for (const coding of ['gzip', 'br', 'identity, gzip']) {
    const refused = await ask(coding);
    expect([refused.status, refused.headers.get('accept-encoding')]).toEqual([415, 'identity']);
    expect(await errorOf(refused)).toMatchObject({
      status: 'INVALID_ARGUMENT',
      errors: [{ reason: 'unsupportedMediaType', location: 'content-encoding' }],
    });
  }
  for (const coding of ['identity', 'Identity', ''])
    expect((await ask(coding)).status).not.toBe(415);
});

test('a URL has at most 100 parameters', async () => {
  const { send } = createFixture();
  expect((await send(`${path}?${pairs(100)}`)).status).toBe(200);
  const refused = await send(`${path}?${pairs(101)}`);
  expect(refused.status).toBe(414);
  expect((await errorOf(refused)).errors).toMatchObject([{ reason: 'tooLarge' }]);
});

// Even if the body is broken after them: they are counted before anything is parsed.
test.each([
  ['JSON', json, '{', '"a":1,'],
  ['JSON without names', json, '{', '1:1,'],
  ['a form', form, '', 'a=%&'],
])('thousands of pairs of %s are refused unread', async (_what, headers, start, pair) => {
  const { send } = createFixture({ maxBodyBytes: 256 * 1024 });
  const body = start + pair.repeat(30_000);
  const response = await send(path, { method: 'POST', headers, body });
  expect(response.status).toBe(413);
});

// A nested value's name is quoted before the whole text is parsed.
test.each([
  '{1:{}}',
  '{null:{}}',
  '{[1]:{}}',
  `{[${'1,'.repeat(200)}1]:{}}`,
  `{${'['.repeat(2_000)}${']'.repeat(2_000)}:[]}`,
])('a name that is no string is no JSON: %.30s', async (body) => {
  const { send } = createFixture({ maxBodyBytes: 10_000 });
  const response = await send(path, { method: 'POST', headers: json, body });
  expect(response.status).toBe(400);
  expect(await errorOf(response)).toMatchObject({
    message: 'The body must be a JSON object',
    errors: [{ reason: 'invalid', location: 'body' }],
  });
});

test('a megabyte of empty names is not echoed', async () => {
  const { send } = createFixture({ maxBodyBytes: 2_000_000 });
  const body = `{${times(150_000, () => '"":[]', ',')}}`;
  const response = await send(path, { method: 'POST', headers: json, body });
  expect(response.status).toBe(413);
  expect((await response.text()).length).toBeLessThan(500);
});

test('a hundred long names are answered with ten short faults', async () => {
  const { send } = createFixture({ maxBodyBytes: 2_000_000 });
  const body = `{${times(100, (n) => `"${n}${'x'.repeat(10_000)}":[]`, ',')}}`;
  const response = await send(`${path}?project=a`, { method: 'POST', headers: json, body });
  expect(response.status).toBe(400);
  const { message, errors } = await errorOf(response);
  expect(errors).toHaveLength(10);
  for (const { location = '' } of errors) expect(location).toMatch(/^\dx{98}…$/);
  expect(message).toMatch(/; and 90 more$/);
  expect(message.length).toBeLessThanOrEqual(500);
  expect(message).not.toMatch(/x{100}/);
});

test.each([
  ['quotes', `{"${'\\"'.repeat(130_000)}`],
  ['open strings', `{${'"'.repeat(262_000)}`],
  ['brackets', `{"a":${'['.repeat(262_000)}`],
])('splitting takes no longer for %s', (_what, text) => {
  const split = () => {
    try {
      sliceJson(text);
    } catch (error) {
      expect(error).toBeInstanceOf(SyntaxError);
    }
  };
  expect(cpuMsOf(split)).toBeLessThan(2_000);
});

test.each([
  ['nested without an end', `{"a":${'['.repeat(1_000)}`, 'body'],
  ['no object behind its brace', '{"a" "b":[', 'body'],
  ['more behind its end', '{"project":"a"}]', 'body'],
])('JSON that is %s is invalid', async (_what, body, location) => {
  const { send } = createFixture({ maxBodyBytes: 10_000 });
  const response = await send(path, { method: 'POST', headers: json, body });
  expect(response.status).toBe(400);
  expect((await errorOf(response)).errors).toMatchObject([{ reason: 'invalid', location }]);
});
