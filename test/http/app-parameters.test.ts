import { describe, expect, test } from 'vitest';
import { createFixture, errorOf, path } from '../support/app-fixture.js';

describe('parameters', () => {
  const json = { 'content-type': 'application/json' };
  const form = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' };

  test.each<[string, string, RequestInit, Record<string, string | null>]>([
    ['one that is repeated with its value', '?project=a&project=a', {}, { p_project: 'a' }],
    ['an undeclared one that is repeated', '?project=a&x=1&x=2', {}, { p_project: 'a' }],
    ['percent and plus', '?project=a+b%2Bc%C3%A9', {}, { p_project: 'a b+cé' }],
    ['percent that decodes to nothing', '?project=100%', {}, { p_project: '100%' }],
    ['extra ones', '?project=a&__proto__=x&constructor=y', {}, { p_project: 'a' }],
    ['NUL', '?project=a%00b', {}, { p_project: 'a\u0000b' }],
    ['bytes that are no UTF-8', '?project=a%ED%A0%80b', {}, { p_project: 'a\ufffd\ufffd\ufffdb' }],
    [
      'JSON beside the URL',
      '?project=b&limit=1',
      { headers: json, body: '{"project":"b","x":1}' },
      { p_project: 'b', p_limit: '1' },
    ],
    [
      'JSON null is absent',
      '?limit=1',
      { headers: json, body: '{"project":"b","limit":null}' },
      { p_limit: '1' },
    ],
    [
      'a JSON number',
      '',
      { headers: json, body: '{"project":9007199254740993}' },
      { p_project: '9007199254740993' },
    ],
    [
      'a JSON number as written',
      '',
      { headers: json, body: '{"project":1.50e2}' },
      { p_project: '1.50e2' },
    ],
    ['a JSON boolean', '', { headers: json, body: '{"project":true}' }, { p_project: 'true' }],
    [
      'a JSON escape',
      '',
      { headers: json, body: '{"pro\\u006aect":"\\ud83d\\ude00"}' },
      { p_project: '\u{1f600}' },
    ],
    [
      'a lone surrogate',
      '',
      { headers: json, body: '{"project":"a\\ud800"}' },
      { p_project: 'a\ufffd' },
    ],
    [
      'two equal JSON members',
      '',
      { headers: json, body: '{"project":"b","pro\\u006aect":"b"}' },
      { p_project: 'b' },
    ],
    [
      'names of JSON',
      '?project=a',
      { headers: json, body: '{"__proto__":"x","constructor":"y"}' },
      { p_project: 'a' },
    ],
    [
      'a form',
      '?limit=2',
      { headers: form, body: 'project=c&x=1&x=2' },
      { p_project: 'c', p_limit: '2' },
    ],
    ['an empty value beside another', '?project=a&project=', {}, { p_project: 'a' }],
    [
      'an empty value in the body',
      '?project=a',
      { headers: form, body: 'project=' },
      { p_project: 'a' },
    ],
    ['an empty body', '?project=a', { headers: json, body: '' }, { p_project: 'a' }],
    ['no body and no type', '?project=a', {}, { p_project: 'a' }],
  ])('%s', async (_what, query, init, expected) => {
    const { send, statements } = createFixture();
    const method = 'body' in init ? 'POST' : 'GET';
    const response = await send(`${path}${query}`, { method, ...init });
    expect(response.status).toBe(200);
    expect(statements.at(-1)?.values).toMatchObject(expected);
  });

  test.each<[string, string, RequestInit, readonly string[]]>([
    ['twice in the URL', '?project=a&project=b', {}, ['project']],
    ['in three ways', '?project=a&project=b&project=a', {}, ['project']],
    ['in the URL and the body', '?project=a', { headers: form, body: 'project=b' }, ['project']],
    ['twice in a form', '', { headers: form, body: 'project=a&project=b' }, ['project']],
    [
      'twice in a JSON object',
      '',
      { headers: json, body: '{"project":"a","pro\\u006aect":"b"}' },
      ['project'],
    ],
    [
      'as sql and as lql',
      '?project=a&sql=select+1&lql=x',
      { headers: json, body: '{"sql":"select 2","lql":"y"}' },
      ['sql', 'lql'],
    ],
    ['two of them', '?project=a&limit=1&project=b&limit=2', {}, ['project', 'limit']],
  ])('a declared one %s is refused', async (_what, query, init, locations) => {
    const { send, statements } = createFixture();
    const method = 'body' in init ? 'POST' : 'GET';
    const response = await send(`${path}${query}`, { method, ...init });
    const { errors } = await errorOf(response);
    expect(errors.map(({ reason, location }) => [reason, location])).toEqual(
      locations.map((name) => ['invalid', name]),
    );
    expect(statements).toEqual([]);
  });

  test('a multipart form', async () => {
    const { send, statements } = createFixture();
    const body = new FormData();
    body.set('project', 'a');
    expect((await send(path, { method: 'POST', body })).status).toBe(200);
    expect(statements[0]?.values).toMatchObject({ p_project: 'a' });
    body.append('project', 'b');
    expect((await send(path, { method: 'POST', body })).status).toBe(400);
    body.set('project', new Blob(['x']));
    expect((await send(path, { method: 'POST', body })).status).toBe(400);
  });

  test('an empty body has no parameters, whatever its content type', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const response = await createFixture().send(`${path}?project=a`, { method: 'POST', headers });
    expect(response.status).toBe(200);
  });

  test('a GET may declare a JSON content type without a body', async () => {
    const response = await createFixture().send(`${path}?project=a`, { headers: json });
    expect(response.status).toBe(200);
  });

  test.each<[string, RequestInit, string]>([
    ['broken JSON', { headers: json, body: '{"project":' }, 'body'],
    ['a JSON array', { headers: json, body: '[]' }, 'body'],
    ['a JSON text', { headers: json, body: '"x"' }, 'body'],
    ['an object', { headers: json, body: '{"project":{"a":1}}' }, 'project'],
    ['an array', { headers: json, body: '{"project":["a"]}' }, 'project'],
    [
      'another type',
      { headers: { 'content-type': 'text/plain' }, body: 'project=a' },
      'content-type',
    ],
  ])('%s is refused', async (_what, init, location) => {
    const response = await createFixture().send(path, { method: 'POST', ...init });
    expect(response.status).toBe(400);
    expect((await errorOf(response)).errors).toMatchObject([{ reason: 'invalid', location }]);
  });

  test.each([[{ 'content-length': '1025' }], [{}]])('a body over its limit', async (more) => {
    const init = { method: 'POST', headers: { ...json, ...more }, body: 'x'.repeat(1025) };
    const response = await createFixture().send(path, init);
    expect(response.status).toBe(413);
    expect((await errorOf(response)).errors[0].reason).toBe('tooLarge');
  });
});
