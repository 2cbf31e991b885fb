import { describe, expect, test } from 'vitest';
import { createFixture, errorOf, path } from '../support/app-fixture.js';

const query = `${path}?project=acme`;
const ndjson = '{"n":9007199254740993,"s":"é"}\n';
const json = '{"result":[{"n":9007199254740993,"s":"é"}]}';

describe('the format', () => {
  test.each([
    ['', undefined, 'application/json; charset=utf-8', json],
    ['', '*/*', 'application/json; charset=utf-8', json],
    ['&format=', 'application/json', 'application/json; charset=utf-8', json],
    ['', 'application/x-ndjson', 'application/x-ndjson; charset=utf-8', ndjson],
    ['&format=ndjson', 'text/html', 'application/x-ndjson; charset=utf-8', ndjson],
    ['&format=JSON', 'application/x-ndjson', 'application/json; charset=utf-8', json],
  ])('of %j with Accept %j', async (parameter, accept, contentType, body) => {
    const { send } = createFixture();
    const headers = accept === undefined ? {} : { accept };
    const response = await send(`${query}${parameter}`, { headers });
    expect(response.headers.get('content-type')).toBe(contentType);
    expect(response.headers.get('x-result-rows')).toBe('1');
    expect(response.headers.get('x-result-truncated')).toBe('true');
    expect(response.headers.get('vary')).toBe('Accept, Accept-Encoding');
    expect(await response.text()).toBe(body);
  });

  test('may be in the body of a POST', async () => {
    const { send } = createFixture();
    const body = JSON.stringify({ project: 'acme', format: 'ndjson' });
    const headers = { 'content-type': 'application/json' };
    const response = await send(path, { method: 'POST', headers, body });
    expect(await response.text()).toBe(ndjson);
  });

  test('of a file to save has its name', async () => {
    const { send } = createFixture();
    const byId = '/api/endpoints/query/22222222-3333-4444-8555-666666666666?project=acme';
    const response = await send(`${byId}&format=csv`);
    expect(response.headers.get('content-disposition')).toBe(
      'attachment; filename="usage.api-counts.csv"',
    );
    expect((await send(query)).headers.get('content-disposition')).toBeNull();
  });

  test.each([
    ['&format=xml', '*/*', 'format', /^Unknown format: xml; it must be one of json, ndjson, csv/],
    ['', 'text/html', 'Accept', /one of application\/json, application\/x-ndjson, text\/csv/],
  ])('%j with Accept %s is 406', async (parameter, accept, location, message) => {
    const { send, statements } = createFixture();
    const response = await send(`${query}${parameter}`, { headers: { accept } });
    expect(response.status).toBe(406);
    const error = await errorOf(response);
    expect(error.errors).toMatchObject([{ reason: 'notAcceptable', location }]);
    expect(error.message).toMatch(message);
    expect(statements).toEqual([]);
  });

  test('of an endpoint with its own parameter `format` is that of Accept', async () => {
    const { send } = createFixture();
    const own = '/api/endpoints/query/formatted?format=letter';
    expect((await send(own)).headers.get('content-type')).toMatch(/json/);
    const headers = { accept: 'application/x-ndjson' };
    expect((await send(own, { headers })).headers.get('content-type')).toMatch(/ndjson/);
  });

  test('of an error is always JSON', async () => {
    const { send } = createFixture();
    const response = await send(`${path}?format=csv`);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await errorOf(response)).toMatchObject({ code: 400 });
  });

  test('is part of the key of the cache and of the tag', async () => {
    const { send, statements } = createFixture();
    const cached = '/api/endpoints/query/cached?project=acme';
    const tags = new Set<unknown>();
    for (const format of ['json', 'ndjson', 'json', 'ndjson']) {
      const { headers } = await send(`${cached}&format=${format}`);
      tags.add(headers.get('etag'));
    }
    expect(statements).toHaveLength(2);
    expect(tags.size).toBe(2);
  });
});
