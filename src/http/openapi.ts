import { type Parameter, parameterSchemas } from '../endpoint/endpoint.js';
import { reasons } from '../errors/errors.js';
import { formatNames, formats } from '../formats/formats.js';
import type { EndpointDescription } from '../run/describe-endpoints.js';
import { followedTables } from '../run/tail.js';
import { forRanges } from '../types/ranges.js';
import type { FieldSchema, TableSchema } from '../types/table-schema.js';

/** A JSON object of the document. */
interface Json {
  readonly [key: string]: JsonValue;
}
type JsonValue = string | number | boolean | Json | readonly JsonValue[];

/**
 * Describes the service's routes, with the endpoints and rows as served.
 * @see https://spec.openapis.org/oas/v3.1.0.html
 */
export function openApiDocument(
  endpoints: readonly EndpointDescription[],
  { headerPrefix, tail }: { readonly headerPrefix: string; readonly tail: boolean },
): Json {
  const paths = endpoints.map((endpoint) => {
    const get = endpointOperation(endpoint, 'get', headerPrefix);
    const post = endpointOperation(endpoint, 'post', headerPrefix);
    return [`/api/endpoints/query/${encodeURIComponent(endpoint.name)}`, { get, post }] as const;
  });
  const tails = tail ? endpoints.flatMap(tailPaths) : [];
  return {
    openapi: '3.1.0',
    info: {
      title: 'log-endpoints',
      version: '1',
      description: 'Stored BigQuery-SQL queries over logs, which return rows.',
    },
    servers: [{ url: '/' }],
    tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
    security: [{ apiKey: [] }, { bearer: [] }],
    paths: { ...Object.fromEntries([...paths, ...tails]), ...otherPaths },
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY' },
        bearer: { type: 'http', scheme: 'bearer' },
      },
      schemas: { Error: errorSchema },
      responses: {
        Error: asJson({ $ref: '#/components/schemas/Error' }, 'The request is refused, or failed.'),
      },
    },
  };
}

/** The groups of operations. */
const tags = {
  queries: 'Run an endpoint.',
  tails: 'Follow a table of an endpoint.',
  descriptions: 'What there is to ask.',
  state: 'Whether the server is well.',
  session: 'The token of the printed link.',
};

function endpointOperation(
  endpoint: EndpointDescription,
  method: 'get' | 'post',
  headerPrefix: string,
): Json {
  const { name, schema, sandbox } = endpoint;
  const inputs = endpointInputs(endpoint);
  const properties = inputs.map((input) => [input.name, input.schema] as const);
  const required = inputs.filter((input) => input.required).map((input) => input.name);
  const body = { type: 'object', properties: Object.fromEntries(properties), required };
  const json = { 'application/json': { schema: answerSchema(schema, sandbox) } };
  // Names that differ only in signs, such as a.b and a_b, stay different.
  return operation(`${method}.${name}`, 'queries', `Run ${name}`, {
    description: sandbox
      ? 'The rows of the stored query; with `sql` or `lql`, those of the given query, which have its columns instead.'
      : 'The rows of the stored query.',
    parameters: [
      ...(method === 'get' ? inputs.map(inQuery) : []),
      headerParameter(`${headerPrefix}-ENDPOINT-REDACT-PII`, '`true` redacts personal data.'),
    ],
    ...(method === 'post' && { requestBody: { required: true, ...asJson(body) } }),
    ok: { description: 'The rows.', content: { ...json, ...otherFormats } },
  });
}

/**
 * Describes the tail of an endpoint: its own parameters, and the table and rows to follow; none without such a table.
 */
function tailPaths(endpoint: EndpointDescription): readonly (readonly [string, Json])[] {
  const { name, parameters, tables } = endpoint;
  const followed = followedTables(tables);
  if (followed.length === 0) return [];
  const source = { type: 'string', enum: followed, examples: followed.slice(0, 1) };
  const inputs = withOthers(parameters, [
    { name: 'source', required: true, schema: source },
    {
      ...{ name: 'filter', required: false, description: 'Filters in LQL.' },
      schema: { ...text, examples: ['error'] },
    },
  ]);
  const get = operation(`tail.${name}`, 'tails', `Follow a table of ${name}`, {
    parameters: [...inputs.map(inQuery), headerParameter('Last-Event-ID', 'Goes on from there.')],
    ok: {
      description: 'New rows as server-sent events.',
      content: { 'text/event-stream': { schema: text } },
    },
  });
  return [[`/api/tail/${encodeURIComponent(name)}`, { get }]];
}

function inQuery(input: Input): Json {
  return { ...input, in: 'query' };
}

function headerParameter(name: string, description: string): Json {
  return { name, in: 'header', description, schema: text };
}

const codes = [...new Set(Object.values(reasons).map(({ code }) => code))];
const refusals = Object.fromEntries(
  codes.map((code) => [code, { $ref: '#/components/responses/Error' }]),
);

/** A client gets lines as a string, and files as bytes. */
const otherFormats = Object.fromEntries(
  formatNames
    .filter((name) => name !== 'json')
    .map((name) => {
      const { contentType } = formats[name];
      const form = contentType.includes('charset') ? {} : { format: 'binary' };
      return [contentType.split(';')[0], { schema: { type: 'string', ...form } }];
    }),
);

/** A parameter of a request. */
interface Input {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Json;
  readonly description?: string;
}

/** Returns the parameters without `dry-run` and `explain`: with these, the body has no rows. */
function endpointInputs({ parameters, sandbox, tables }: EndpointDescription): readonly Input[] {
  const table = tables[0]?.name ?? '';
  const queries = [
    [
      ...['sql', 'A SELECT in GoogleSQL over the tables of the endpoint.'],
      `select count(*) as n from \`${table}\``,
    ],
    ['lql', 'A query in LQL over one of them.', `f:${table}`],
  ].map(([name = '', description = '', example = '']) => {
    return { name, required: false, schema: { ...text, examples: [example] }, description };
  });
  const format = {
    name: 'format',
    required: false,
    schema: { type: 'string', enum: formatNames, examples: formatNames.slice(0, 1) },
    description: 'The format of the rows; wins over `Accept`.',
  };
  return withOthers(parameters, [...(sandbox ? queries : []), format]);
}

/** Returns the declared parameters, and other parameters whose names are free. */
function withOthers(parameters: readonly Parameter[], others: readonly Input[]): readonly Input[] {
  const declared = parameters.map((parameter) => ({
    name: parameter.name,
    required: parameter.required,
    schema: parameterSchema(parameter),
  }));
  return [...declared, ...others.filter(({ name }) => !declared.some((one) => one.name === name))];
}

function parameterSchema(parameter: Parameter): Json {
  const { type, isList = false, oneOf, default: value, required } = parameter;
  const one = {
    ...parameterSchemas[type],
    ...(oneOf && { enum: oneOf, examples: oneOf.slice(0, 1) }),
    // An empty value counts as absent.
    ...(required && parameterSchemas[type].type === 'string' && { minLength: 1 }),
  };
  const whole = isList ? { type: 'array', items: one } : one;
  return value === undefined || isList ? whole : { ...whole, default: readDefault(value, type) };
}

function readDefault(value: string, type: Parameter['type']): string | number | boolean {
  if (type === 'boolean') return value === 'true';
  return type === 'integer' || type === 'number' ? Number(value) : value;
}

/**
 * Returns the schema of an answer. Rows of a caller's query have other columns, so none is required if callers may
 * send one.
 */
function answerSchema(schema: TableSchema, sandbox: boolean): Json {
  const row = recordSchema(schema);
  const items = sandbox ? row : { ...row, required: schema.fields.map(({ name }) => name) };
  return objectSchema({ result: { type: 'array', items } });
}

function recordSchema({ fields }: TableSchema): Json {
  const properties = fields.map((field) => [field.name, fieldSchema(field)] as const);
  return { type: 'object', properties: Object.fromEntries(properties) };
}

/** Empty arrays and NULL arrays are null. */
function fieldSchema(field: FieldSchema): Json {
  const one =
    field.type === 'STRUCT' ? recordSchema({ fields: field.fields ?? [] }) : scalars[field.type];
  const value = field.mode === 'REPEATED' ? { type: 'array', items: one } : one;
  return { anyOf: [value, { type: 'null' }] };
}

const scalars: Readonly<Record<Exclude<FieldSchema['type'], 'STRUCT'>, Json>> = {
  STRING: { type: 'string', examples: ['GET | 200'] },
  JSON: { type: 'string', description: 'JSON text', examples: ['{"a":1}'] },
  INT64: { type: 'integer', format: 'int64', examples: [42] },
  FLOAT64: {
    anyOf: [{ type: 'number', examples: [0.5] }, { enum: ['NaN', 'Infinity', '-Infinity'] }],
  },
  NUMERIC: { type: 'string', description: 'a decimal number', examples: ['1.5'] },
  BIGNUMERIC: { type: 'string', description: 'a decimal number', examples: ['1.5'] },
  INTERVAL: { type: 'string', description: 'Y-M D H:M:S', examples: ['0-0 1 0:0:0'] },
  ...forRanges(() => ({
    type: 'string',
    description: '[start, end), with UNBOUNDED for an open end',
  })),
  BOOL: { type: 'boolean', examples: [true] },
  TIMESTAMP: {
    ...{ type: 'integer', format: 'int64', description: 'microseconds since 1970, UTC' },
    examples: [1_773_144_000_000_000],
  },
  DATETIME: {
    ...{ type: 'string', description: 'YYYY-MM-DDTHH:MM:SS[.ffffff]' },
    examples: ['2026-03-10T12:00:00'],
  },
  DATE: { type: 'string', format: 'date', examples: ['2026-03-10'] },
  TIME: { type: 'string', description: 'HH:MM:SS[.ffffff]', examples: ['12:00:00'] },
  BYTES: { type: 'string', contentEncoding: 'base64', examples: ['AP8='] },
};

const text = { type: 'string' };
const whole = { type: 'integer' };

/** All properties are required, except those of `others`. */
function objectSchema(
  properties: Readonly<Record<string, Json>>,
  others: Readonly<Record<string, Json>> = {},
): Json {
  const required = Object.keys(properties);
  return { type: 'object', properties: { ...properties, ...others }, required };
}

/** A JSON body or response. */
function asJson(schema: Json, description?: string): Json {
  const content = { 'application/json': { schema } };
  return { ...(description !== undefined && { description }), content };
}

const fault = objectSchema(
  { reason: text, message: text },
  { location: text, line: whole, column: whole },
);

/** The error object of every refusal. */
const errorSchema = objectSchema({
  error: objectSchema({
    ...{ code: whole, status: text, message: text, requestId: text },
    errors: { type: 'array', items: fault },
  }),
});

/** Describes an operation, with `ok` as its usual response. */
function operation(
  operationId: string,
  tag: keyof typeof tags,
  summary: string,
  { ok, ...more }: Json & { readonly ok: Json },
): Json {
  return { operationId, tags: [tag], summary, ...more, responses: { 200: ok, ...refusals } };
}

/** Describes a path without parameters. */
function pathWithGet(path: string, tag: keyof typeof tags, summary: string, more: Json = {}) {
  const ok = asJson({ type: 'object' }, summary);
  return {
    [path]: { get: operation(path.replace(/^\/(?:api\/)?/, ''), tag, summary, { ok, ...more }) },
  };
}

const withoutToken = { security: [] };

/** The paths that are the same for each token. */
const otherPaths: Json = {
  ...pathWithGet('/api/endpoints', 'descriptions', 'The endpoints, their tables and columns'),
  ...pathWithGet('/api/functions', 'descriptions', 'The functions that a query may call'),
  ...pathWithGet('/api/projects', 'descriptions', 'The projects that the token may see'),
  ...pathWithGet('/api/openapi.json', 'descriptions', 'This document'),
  ...pathWithGet('/health', 'state', 'Whether the process lives', withoutToken),
  ...pathWithGet('/ready', 'state', 'Whether it can answer queries', withoutToken),
  // Needs no token: it returns the one that the server generated.
  '/api/session': {
    post: operation('session', 'session', 'Exchange the code of the printed link for the token', {
      description: 'For the page that the server serves on its own machine. A code works once.',
      ...withoutToken,
      requestBody: { required: true, ...asJson(objectSchema({ code: text })) },
      ok: asJson(objectSchema({ token: text }), 'The token.'),
    }),
  },
};
