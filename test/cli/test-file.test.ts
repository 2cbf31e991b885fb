import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readTestFile } from '../../src/cli/test-file.js';
import { makeFolder } from '../support/load-logs.js';

function read(content: unknown, name = 'errors.test.json') {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return readTestFile(join(makeFolder({ [name]: text }), name));
}

test('a test is about the endpoint that its file is named after, and what it lacks its file says', () => {
  const now = '2026-03-10T12:00:00Z';
  const own = { endpoint: 'logs.all', now: '2026-03-11T12:00:00Z' };
  const { tests } = read({
    now,
    tests: [
      { name: 'a', rows: [] },
      { name: 'b', ...own, error: 'no' },
    ],
  });
  expect(tests).toMatchObject([
    { name: 'a', endpoint: 'errors', now, parameters: '{}', records: '{}', expected: [] },
    { name: 'b', ...own, expected: ['error: no'] },
  ]);
  expect(read({ endpoint: 'other', tests: [{ name: 'a', rows: [] }] }).tests).toMatchObject([
    { endpoint: 'other' },
  ]);
});

test('the folder of logs is beside the file', () => {
  const folder = makeFolder({ 'tests/a.test.json': '{"data":"../logs","tests":[]}' });
  expect(readTestFile(join(folder, 'tests/a.test.json')).data).toBe(join(folder, 'logs'));
});

test('integers keep their digits', () => {
  const long = '9007199254740993';
  const { tests } = read(`{"tests": [{
    "name": "a", "parameters": {"n": ${long}}, "records": {"s": [{"n": ${long}}]}, "rows": [{"n": ${long}}]
  }]}`);
  const [{ parameters, records, expected } = { parameters: '', records: '', expected: [] }] = tests;
  for (const text of [parameters, records, ...expected]) expect(text).toContain(long);
});

const either = 'must have either rows or error';
test.each<readonly [name: string, content: unknown, message: string]>([
  ['no JSON', '{', 'JSON'],
  ['no tests', {}, 'tests: '],
  ['a key that is not known', { tsets: [], tests: [] }, 'unknown key tsets; did you mean tests?'],
  [
    'a key of a test that is not known',
    { tests: [{ name: 'a', rwos: [] }] },
    'unknown key tests.0.rwos; did you mean rows?',
  ],
  ['a key of the file in a test', { tests: [{ name: 'a', rows: [], data: 'x' }] }, 'tests.0.data'],
  ['no name', { tests: [{ rows: [] }] }, 'tests.0.name'],
  ['no instant', { now: 'noon', tests: [] }, 'now: must be an ISO 8601 timestamp'],
  ['a row that is no object', { tests: [{ name: 'a', rows: [1] }] }, 'tests.0.rows.0'],
  ['neither rows nor an error', { tests: [{ name: 'a' }] }, `tests.0: ${either}`],
  ['both', { tests: [{ name: 'a', rows: [], error: 'b' }] }, `tests.0: ${either}`],
])('%s: the message names the file and the place', (_name, content, message) => {
  expect(() => read(content)).toThrow(message);
  expect(() => read(content)).toThrow('errors.test.json: ');
});
