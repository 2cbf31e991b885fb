import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { unboundToken } from '../../src/config/tokens.js';
import { scopeOf } from '../../src/endpoint/scope.js';
import { openApiDocument } from '../../src/http/openapi.js';
import type { EndpointDescription } from '../../src/service/describe-endpoints.js';
import { tableSchema } from '../../src/types/table-schema.js';
import { arrayOf, scalar, structOf } from '../../src/types/types.js';
import { createFixture, path as logsAll } from '../support/app-fixture.js';

const kinds = ['STRING', 'INT64', 'FLOAT64', 'NUMERIC', 'BOOL', 'TIMESTAMP', 'BYTES'] as const;
const columns = [
  ...kinds.map((kind) => ({ name: kind, type: scalar(kind) })),
  { name: 'tags', type: arrayOf(scalar('STRING')) },
  { name: 'metadata', type: arrayOf(structOf([{ name: 'path', type: scalar('STRING') }])) },
];
const types = ['string', 'regexp', 'timestamp', 'date', 'integer', 'number', 'boolean'] as const;

const endpoint: EndpointDescription = {
  name: 'a.b/c d',
  id: '11111111-2222-4333-8444-555555555555',
  parameters: types.flatMap((type) => [
    { name: type, type, required: true },
    { name: `${type}s`, type, required: false, isList: true },
  ]),
  maxRows: 10,
  cacheSeconds: 0,
  sandbox: true,
  redactPii: false,
  schema: tableSchema(columns),
  tables: [],
  sql: 'select 1',
};

async function faultsOf(document: object): Promise<unknown> {
  const { valid, errors } = await new Validator().validate(`${JSON.stringify(document)}\n`);
  return valid ? [] : errors;
}

test('the document is valid, whatever types parameters and columns have', async () => {
  const document = openApiDocument([endpoint], 'SVC');
  expect(await faultsOf(document)).toEqual([]);
  expect(await faultsOf({ ...document, paths: { x: {} } })).not.toEqual([]);
});

test('similar names have operations of their own', () => {
  const endpoints = ['a.b', 'a_b', 'a b'].map((name) => ({ ...endpoint, name }));
  const text = JSON.stringify(openApiDocument(endpoints, 'SVC'));
  const ids = text.match(/"operationId":"[^"]*"/g) ?? [];
  expect(ids).toHaveLength(16);
  expect(new Set(ids).size).toBe(16);
});

test('an array of records is an array of objects, or null', () => {
  const document = openApiDocument([endpoint], 'SVC');
  const record = { type: 'object', properties: { path: nullable({ type: 'string' }) } };
  expect(JSON.stringify(document)).toContain(
    `"metadata":${JSON.stringify(nullable({ type: 'array', items: record }))}`,
  );
});

function nullable(schema: object) {
  return { anyOf: [schema, { type: 'null' }] };
}

const bound = 'the-token-of-logs-1';
const tokens = [{ ...unboundToken(bound), scope: scopeOf({ endpoints: new Set(['logs.all']) }) }];

test('the routes show the endpoints that exist for the token', async () => {
  const { app, send } = createFixture({ tokens });
  const pathsOf = async (answer: Response) =>
    Object.keys(((await answer.json()) as { readonly paths: object }).paths);
  const all = await pathsOf(await send('/api/openapi.json'));
  expect(all).toContain('/api/endpoints/query/usage.api-counts');
  const headers = { 'x-api-key': bound };
  const few = await pathsOf(await app.request('/api/openapi.json', { headers }));
  expect(few).toEqual([
    '/api/endpoints/query/logs.all',
    '/api/tail/logs.all',
    '/api/endpoints',
    '/api/functions',
    '/api/projects',
    '/api/openapi.json',
    '/health',
    '/ready',
    '/api/session',
  ]);
  const { endpoints } = (await (await app.request('/api/endpoints', { headers })).json()) as {
    readonly endpoints: readonly EndpointDescription[];
  };
  const schema = { fields: [{ name: 'n', type: 'INT64', mode: 'NULLABLE' }] };
  expect(endpoints).toHaveLength(1);
  expect(endpoints[0]).toMatchObject({
    name: 'logs.all',
    schema,
    tables: [{ name: 'edge_logs', schema }],
  });
});

test('a token that is bound to a project may leave it out', async () => {
  const acme = 'the-token-of-acme-1';
  const { app } = createFixture({
    tokens: [{ ...unboundToken(acme), scope: scopeOf({ project: 'acme' }) }],
  });
  const answer = await app.request('/api/openapi.json', { headers: { 'x-api-key': acme } });
  const { paths } = (await answer.json()) as {
    readonly paths: Readonly<Record<string, { get: { parameters: readonly object[] } }>>;
  };
  expect(paths['/api/endpoints/query/logs.all']?.get.parameters[0]).toEqual({
    ...{ name: 'project', in: 'query', required: false },
    schema: { type: 'string', default: 'acme' },
  });
});

test.each(['/api/openapi.json', '/api/endpoints', '/api/projects'])(
  '%s needs a token, and is read only',
  async (path) => {
    const { app, send } = createFixture();
    expect((await app.request(path)).status).toBe(401);
    expect((await send(path, { method: 'POST' })).status).toBe(405);
  },
);

test.each([
  ...['/api/openapi.json', '/api/endpoints', '/api/functions', '/metrics'],
  ...['dry-run', 'explain'].map((check) => `${logsAll}?project=a&sql=wide&${check}=true`),
])('%s is compressed if the client takes that, and the same text', async (path) => {
  const { send } = createFixture();
  const plain = await send(path);
  expect(plain.headers.get('content-encoding')).toBeNull();
  const text = await plain.text();
  for (const [coding, decode] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const answer = await send(path, { headers: { 'accept-encoding': coding } });
    const body = Buffer.from(await answer.arrayBuffer());
    const isCompressed = answer.headers.get('content-encoding') === coding;
    expect(isCompressed).toBe(text.length > 1_024);
    expect((isCompressed ? decode(body) : body).toString()).toBe(text);
    expect(answer.headers.get('vary')).toMatch(/^(Accept, )?Accept-Encoding$/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
  }
});
