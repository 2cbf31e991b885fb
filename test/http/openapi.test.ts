import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { unboundToken } from '../../src/config/tokens.js';
import { createScope } from '../../src/endpoint/scope.js';
import { openApiDocument } from '../../src/http/openapi.js';
import type { EndpointDescription } from '../../src/run/describe-endpoints.js';
import { tableSchema } from '../../src/types/table-schema.js';
import { arrayType, scalar, structType } from '../../src/types/types.js';
import { createFixture, path as logsAll } from '../support/app-fixture.js';

const kinds = ['STRING', 'INT64', 'FLOAT64', 'NUMERIC', 'BOOL', 'TIMESTAMP', 'BYTES'] as const;
const columns = [
  ...kinds.map((kind) => ({ name: kind, type: scalar(kind) })),
  { name: 'tags', type: arrayType(scalar('STRING')) },
  { name: 'metadata', type: arrayType(structType([{ name: 'path', type: scalar('STRING') }])) },
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
  tables: [
    { name: 'timed', schema: tableSchema([{ name: 'timestamp', type: scalar('TIMESTAMP') }]) },
    { name: 'counted', schema: tableSchema([{ name: 'timestamp', type: scalar('DATETIME') }]) },
  ],
  sql: 'select 1',
};

const options = { headerPrefix: 'SVC', tail: true };

async function faultsOf(document: object): Promise<unknown> {
  const { valid, errors } = await new Validator().validate(`${JSON.stringify(document)}\n`);
  return valid ? [] : errors;
}

test('the document is valid, whatever types parameters and columns have', async () => {
  const document = openApiDocument([endpoint], options);
  expect(await faultsOf(document)).toEqual([]);
  expect(await faultsOf({ ...document, paths: { x: {} } })).not.toEqual([]);
});

test('similar names have operations of their own', () => {
  const endpoints = ['a.b', 'a_b', 'a b'].map((name) => ({ ...endpoint, name }));
  const text = JSON.stringify(openApiDocument(endpoints, options));
  const ids = text.match(/"operationId":"[^"]*"/g) ?? [];
  expect(ids).toHaveLength(16);
  expect(new Set(ids).size).toBe(16);
});

test('an array of records is an array of objects, or null', () => {
  const document = openApiDocument([endpoint], options);
  const record = {
    type: 'object',
    properties: { path: nullable({ type: 'string', examples: ['GET | 200'] }) },
  };
  expect(JSON.stringify(document)).toContain(
    `"metadata":${JSON.stringify(nullable({ type: 'array', items: record }))}`,
  );
});

function nullable(schema: object) {
  return { anyOf: [schema, { type: 'null' }] };
}

interface Operation {
  readonly tags?: readonly string[];
  readonly parameters?: readonly { readonly name: string; readonly schema: object }[];
  readonly responses: { readonly 200: { readonly content: Record<string, { schema?: object }> } };
}

function operationsOf(endpoints: readonly EndpointDescription[], tail = true) {
  const { tags, paths } = openApiDocument(endpoints, { ...options, tail }) as unknown as {
    readonly tags: readonly { readonly name: string }[];
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, ...operation })),
  );
  return { tags: tags.map(({ name }) => name), operations };
}

test('only tables with a time are listed as followed, and none where nothing is', () => {
  const untimed = { ...endpoint, name: 'untimed', tables: endpoint.tables.slice(1) };
  const tailsOf = (tail: boolean) =>
    operationsOf([endpoint, untimed], tail).operations.filter(({ path }) =>
      path.includes('/tail/'),
    );
  const [only, ...others] = tailsOf(true);
  expect(others).toEqual([]);
  expect(only?.path).toBe('/api/tail/a.b%2Fc%20d');
  const source = only?.parameters?.find(({ name }) => name === 'source');
  expect(source?.schema).toMatchObject({ enum: ['timed'] });
  expect(tailsOf(false)).toEqual([]);
});

test('each operation has a tag that is described, and each of its media types a schema', () => {
  const { tags, operations } = operationsOf([endpoint]);
  expect(new Set(operations.flatMap((one) => one.tags ?? ['none']))).toEqual(new Set(tags));
  for (const { responses } of operations) {
    const schemas = Object.values(responses[200].content).map(({ schema }) => schema);
    expect(schemas.every((schema) => schema !== undefined)).toBe(true);
  }
});

test('parameters and columns have examples that are valid', () => {
  const schemas: Record<string, unknown>[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    if ('examples' in value) schemas.push(value as Record<string, unknown>);
    for (const one of Object.values(value)) walk(one);
  };
  walk(openApiDocument([endpoint], options));
  // Names such as int64 are no formats that are checked.
  const ajv = new Ajv({ strict: false, validateFormats: false });
  for (const { examples, ...schema } of schemas) {
    for (const example of examples as unknown[]) expect(ajv.validate(schema, example)).toBe(true);
  }
  const { parameters = [] } = operationsOf([endpoint]).operations[0] ?? {};
  const unexampled = parameters.filter(
    ({ schema }) => !JSON.stringify(schema).includes('examples'),
  );
  expect(unexampled.map(({ name }) => name)).toEqual(['SVC-ENDPOINT-REDACT-PII']);
});

test('a required text may not be empty, as an empty value is as absent', () => {
  const { parameters = [] } = operationsOf([endpoint]).operations[0] ?? {};
  const schemaOf = (name: string) => parameters.find((one) => one.name === name)?.schema;
  expect(schemaOf('string')).toMatchObject({ minLength: 1 });
  expect(schemaOf('strings')).not.toHaveProperty('items.minLength');
});

const bound = 'the-token-of-logs-1';
const tokens = [
  { ...unboundToken(bound), scope: createScope({ endpoints: new Set(['logs.all']) }) },
];

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
    tokens: [{ ...unboundToken(acme), scope: createScope({ project: 'acme' }) }],
  });
  const answer = await app.request('/api/openapi.json', { headers: { 'x-api-key': acme } });
  const { paths } = (await answer.json()) as {
    readonly paths: Readonly<Record<string, { get: { parameters: readonly object[] } }>>;
  };
  expect(paths['/api/endpoints/query/logs.all']?.get.parameters[0]).toEqual({
    ...{ name: 'project', in: 'query', required: false },
    schema: { type: 'string', default: 'acme', examples: ['acme'] },
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
