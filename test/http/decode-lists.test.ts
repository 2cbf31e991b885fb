import { expect, test } from 'vitest';
import { bindParameters } from '../../src/endpoint/parameters.js';
import { ServiceError } from '../../src/errors/errors.js';
import { decodeRequest } from '../../src/http/decode-request.js';

const parameters = [
  { name: 'names', type: 'string', isList: true, required: true },
  { name: 'ids', type: 'integer', isList: true, required: false, default: '["7"]' },
  { name: 'one', type: 'string', required: false },
  { name: 'kind', type: 'string', isList: true, required: false, oneOf: ['a', 'b'] },
] as const;

const options = { headerPrefix: 'SVC', allowNowHeader: false, now: () => 0 };

async function bind(query: string, body: string | undefined, type = 'application/json') {
  const init =
    body === undefined ? {} : { method: 'POST', body, headers: { 'content-type': type } };
  const request = new Request(`http://x/?${query}`, init);
  return bindParameters(parameters, (await decodeRequest(request, 'x', options)).parameters);
}

async function refusal(...given: Parameters<typeof bind>): Promise<string> {
  const error = await bind(...given).catch((one: unknown) => one);
  if (!(error instanceof ServiceError)) throw new Error(`not refused: ${JSON.stringify(error)}`);
  return error.faults.map(({ location, message }) => `${location}: ${message}`).join('\n');
}

test.each<[string, string | undefined, unknown]>([
  ['names=a', undefined, ['a']],
  ['names=a,b', undefined, ['a', 'b']],
  ['names=a&names=b', undefined, ['a', 'b']],
  ['names=b&names=a,b&names=', undefined, ['b', 'a', 'b']],
  ['names=a&names=a', undefined, ['a', 'a']],
  ['names=+a,,b+', undefined, ['a', 'b']],
  ['names=["a,b"," c "]', undefined, ['a,b', ' c ']],
  [
    '',
    '{"names":["a,b",1,true,9007199254740993,""]}',
    ['a,b', '1', 'true', '9007199254740993', ''],
  ],
  ['', '{"names":"a,b"}', ['a', 'b']],
  ['', '{"names":["[x]"]}', ['[x]']],
  ['', '{"names":["\\ud800"]}', ['\ufffd']],
  ['names=a,b', '{"names":"a,b"}', ['a', 'b']],
])('%s with the body %s', async (query, body, expected) => {
  const { names, ids } = await bind(query, body);
  expect([JSON.parse(names ?? ''), ids]).toEqual([expected, '["7"]']);
});

test('a form may repeat a name', async () => {
  const type = 'application/x-www-form-urlencoded';
  const bound = await bind('', 'names=a&names=b&ids=1,2', type);
  expect(bound).toMatchObject({ names: '["a","b"]', ids: '["1","2"]', one: null });
});

test.each<[string, string | undefined, string]>([
  ['', undefined, 'names: Missing required parameter names'],
  ['names=,', undefined, 'names: Missing required parameter names'],
  ['', '{"names":[]}', 'names: Missing required parameter names'],
  [
    'names=a&ids=1,x',
    undefined,
    'ids: Invalid value for parameter ids: value 2 must be an integer',
  ],
  ['names=a&ids=[1', undefined, 'ids: Invalid value for parameter ids: must be a list: values'],
  [
    'names=a&kind=a,c',
    undefined,
    'kind: Invalid value for parameter kind: value 2 must be one of a, b',
  ],
  ['names=a&one=b&one=c', undefined, 'one: Parameter one is given more than once'],
  // So that a gateway can set a list.
  ['names=a', '{"names":["a","b"]}', 'names: Parameter names is given more than once'],
  ['names=a', '{"names":["a"]}', 'names: Parameter names is given more than once'],
  ['', '{"names":["a"],"names":["b"]}', 'names: Parameter names is given more than once'],
  [
    'names=a',
    '{"one":["b"]}',
    'one: Invalid value for parameter one: must not be an object or an array',
  ],
  [
    'names=a',
    '{"one":[]}',
    'one: Invalid value for parameter one: must not be an object or an array',
  ],
  ['names=a&one=b', '{"one":["b"]}', 'one: Invalid value for parameter one: must not be an object'],
  ['names=a', '{"other":["b"]}', 'other: Invalid value for parameter other: must not be an object'],
  [
    'names=a',
    '{"sql":["select 1"]}',
    'sql: Invalid value for parameter sql: must not be an object',
  ],
  [
    '',
    '{"names":["a",null]}',
    'names: Invalid value for parameter names: must not be an object, or',
  ],
  ['', '{"names":[["a"]]}', 'names: Invalid value for parameter names: must not be an object, or'],
  ['', '{"names":{"a":1}}', 'names: Invalid value for parameter names: must not be an object, or'],
])('%s with the body %s is refused', async (query, body, expected) => {
  expect(await refusal(query, body)).toContain(expected);
});

test('a list has at most 10000 values', async () => {
  const many = (count: number) => `{"names":"${Array.from({ length: count }, () => 'a').join()}"}`;
  expect(JSON.parse((await bind('', many(10_000)))['names'] ?? '')).toHaveLength(10_000);
  expect(await refusal('', many(10_001))).toContain('must have at most 10000 values');
});

test('the arrays of a body have at most 10000 values together', async () => {
  const many = (count: number) => `{"ids":[1],"names":[${'1,'.repeat(count - 2)}2]}`;
  expect(JSON.parse((await bind('', many(10_000)))['names'] ?? '')).toHaveLength(9_999);
  expect(await refusal('', many(10_001))).toBe(
    'names: Invalid value for parameter names: the arrays of a body must have at most 10000 values together',
  );
  // Neither split nor parsed.
  expect(
    await refusal('', `{"names":[${'1,'.repeat(10_001)}${'['.repeat(9_000)}${']'.repeat(9_000)}]}`),
  ).toContain('at most 10000 values together');
});
