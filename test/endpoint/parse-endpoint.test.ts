import { expect, test } from 'vitest';
import { printFileFault } from '../../src/endpoint/file-fault.js';
import { parseEndpoint } from '../../src/endpoint/parse-endpoint.js';

const id = '5D9D7C1E-2b44-4b6f-8c1c-9a7f3f5b6e02';
const good = [
  '-- name: a.b',
  `-- id: ${id}`,
  '-- max-rows: 1000',
  '-- cache-seconds: 900',
  '-- warm-seconds: 300',
  '-- sandbox: true',
  '-- redact-pii: false',
  '-- @interval: string, required, one of minutely hourly daily',
  '-- @limit: integer, default 007, one of 7 8',
  '-- @since:   timestamp,  optional',
  '--',
  '-- not a setting: a comment of the query',
  'select 1 as one',
];

/** The valid file with line `index` (from 0) replaced by `lines`. */
function withLine(index: number, ...lines: readonly string[]): string {
  return [...good.slice(0, index), ...lines, ...good.slice(index + 1)].join('\n');
}

function faultsOf(text: string, file = 'a.b.sql'): readonly string[] {
  return parseEndpoint(file, text).faults.map(printFileFault);
}

test.each(['\n', '\r\n'])('a valid file with %j as line ending', (end) => {
  const sql = good.join(end);
  expect(parseEndpoint('a.b.sql', sql)).toEqual({
    endpoint: {
      name: 'a.b',
      id: id.toLowerCase(),
      maxRows: 1000,
      caching: { ttlSeconds: 900, warmSeconds: 300 },
      sandbox: true,
      redactPii: false,
      allSources: false,
      parameters: [
        {
          name: 'interval',
          type: 'string',
          required: true,
          oneOf: ['minutely', 'hourly', 'daily'],
        },
        { name: 'limit', type: 'integer', required: false, default: '7', oneOf: ['7', '8'] },
        { name: 'since', type: 'timestamp', required: false },
      ],
      sql,
      file: 'a.b.sql',
    },
    parameterLines: [8, 9, 10],
    idLine: 2,
    compilable: true,
    faults: [],
  });
});

test.each<[string, string]>([
  [
    'a.b.sql:4:4: repeated key: max-rows (first on line 3)',
    withLine(2, good[2] ?? '', '-- max-rows: 5'),
  ],
  ['a.b.sql:4:4: unknown key: max-row', withLine(2, good[2] ?? '', '-- max-row: 5')],
  ['a.b.sql:4:4: unknown key: constructor', withLine(2, good[2] ?? '', '-- constructor: 5')],
  ['a.b.sql:4:4: unknown key: Max-Rows', withLine(2, good[2] ?? '', '-- Max-Rows: 5')],
  ['a.b.sql:4:1: not a setting:', withLine(2, good[2] ?? '', '-- some words')],
  ['a.b.sql:1:10: name must be 1 to 100', withLine(0, '-- name: a b')],
  ['and the name of the file', withLine(0, '-- name: other')],
  ['a.b.sql:2:8: id must be a UUID', withLine(1, '-- id: 5d9d7c1e')],
  ['a.b.sql:3:14: max-rows must be a whole number from 1', withLine(2, '-- max-rows: 0')],
  ['a.b.sql:3:14: max-rows must', withLine(2, '-- max-rows: 1e3')],
  ['a.b.sql:3:13: max-rows must', withLine(2, '-- max-rows:')],
  ['a.b.sql:4:19: cache-seconds must', withLine(3, '-- cache-seconds: -1')],
  ['a.b.sql:5:18: warm-seconds must be 0 or less', withLine(3, '-- cache-seconds: 300')],
  ['a.b.sql:6:13: sandbox must be true or false', withLine(5, '-- sandbox: yes')],
  ['a.b.sql:7:16: redact-pii must be true or false', withLine(6, '-- redact-pii: yes')],
  ['a.b.sql:8:8: a type must be one of string, regexp', withLine(7, '-- @a: text, required')],
  ['a.b.sql:8:8: the type must be followed by required, optional', withLine(7, '-- @a: string')],
  ['a.b.sql:8:16: the type must be followed by required', withLine(7, '-- @a: string, needed')],
  ['a.b.sql:8:17: the default must be an integer', withLine(7, '-- @a: integer, default x')],
  [
    'a.b.sql:8:16: the default must be one of a, b',
    withLine(7, '-- @a: string, default x, one of a b'),
  ],
  [
    'a.b.sql:8:26: the allowed values must be written as',
    withLine(7, '-- @a: string, required, a or b'),
  ],
  ['a.b.sql:8:27: b must be an integer', withLine(7, '-- @a: integer, required, one of 1 b')],
  ['a.b.sql:8:27: 1 is allowed twice', withLine(7, '-- @a: integer, required, one of 1 01')],
  [
    'a.b.sql:8:36: nothing may follow the allowed',
    withLine(7, '-- @a: string, required, one of a, x'),
  ],
  ['a.b.sql:8:4: not a name: @a-b', withLine(7, '-- @a-b: string, required')],
  ["a.b.sql:8:4: @sql is the caller's query", withLine(7, '-- @sql: string, required')],
  [
    'a.b.sql:10:4: repeated parameter: @since (first on line 8)',
    withLine(7, '-- @Since: string, required'),
  ],
])('%s', (expected, text) => {
  const faults = faultsOf(text);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain(expected);
});

test('a parameter without a declaration lacks its type and whether it is required', () => {
  expect(faultsOf(withLine(7, '-- @a:'))).toHaveLength(2);
});

test('all faults are reported', () => {
  const faults = faultsOf('-- name: ?\n-- id: x\n-- colour: red\n-- @a: b, c\nselect 1');
  expect(faults.map((fault) => fault.split(':').slice(1, 3).join(':'))).toEqual([
    ...['3:4', '1:10', '2:8'],
    ...['4:8', '4:11'],
  ]);
});

test('every key has a default', () => {
  const { endpoint, faults } = parseEndpoint('requests.by-hour.sql', 'select 1 as one');
  expect(faults).toEqual([]);
  expect(endpoint).toMatchObject({
    name: 'requests.by-hour',
    maxRows: 1000,
    caching: { ttlSeconds: 0, warmSeconds: 0 },
    sandbox: false,
    redactPii: false,
    allSources: false,
    parameters: [],
  });
});

test('the default id is made from the name, as in RFC 9562', () => {
  expect(parseEndpoint('www.example.com.sql', '').endpoint.id).toBe(
    '2ed6657d-e927-568b-95e1-2665a8aea6a2',
  );
});

test('a file whose name cannot be that of an endpoint', () => {
  expect(faultsOf('', 'my query.sql')).toEqual([
    expect.stringContaining('my query.sql:1:1: name must be 1 to 100 letters'),
  ]);
});

test('warm-seconds needs cache-seconds', () => {
  expect(faultsOf('-- warm-seconds: 5')).toEqual([
    'a.b.sql:1:18: warm-seconds must be 0 or less than cache-seconds',
  ]);
});

test.each([
  ['STRING', 'string'],
  ['int64', 'integer'],
  ['FLOAT64', 'number'],
  ['BOOL', 'boolean'],
  ['TIMESTAMP', 'timestamp'],
  ['DATE', 'date'],
])("a parameter may have BigQuery's type %s", (written, type) => {
  const { endpoint, faults } = parseEndpoint(
    'a.b.sql',
    `-- @x: ${written}, required\n--\nselect 1`,
  );
  expect(faults).toEqual([]);
  expect(endpoint.parameters).toEqual([{ name: 'x', type, required: true }]);
});

test.each([
  ['array<string>, required', { type: 'string', required: true }],
  ['ARRAY<INT64>, optional', { type: 'integer', required: false }],
  ['array < date >, default 2026-03-10', { type: 'date', default: '["2026-03-10"]' }],
  ['array<int64>, default 07 8', { type: 'integer', default: '["7","8"]' }],
  ['array<string>, default a c, one of a b c', { default: '["a","c"]', oneOf: ['a', 'b', 'c'] }],
])('a parameter may be a list: %s', (declaration, expected) => {
  const { endpoint, faults } = parseEndpoint('a.b.sql', `-- @x: ${declaration}\n--\nselect 1`);
  expect(faults).toEqual([]);
  expect(endpoint.parameters).toMatchObject([{ name: 'x', isList: true, ...expected }]);
});

test.each([
  ['array<regexp>, required', '1:8: a type must be one of string, regexp'],
  ['array<array<string>>, required', '1:8: a type must be one of string, regexp'],
  ['array, required', 'or array<type> of any but regexp'],
  [
    'array<int64>, default 1 x',
    '1:22: the default must be values separated by spaces, each an integer',
  ],
  ['array<string>, default a d, one of a b', '1:23: the default must be one of a, b'],
])('a list is refused: %s', (declaration, message) => {
  const { faults } = parseEndpoint('a.b.sql', `-- @x: ${declaration}\n--\nselect 1`);
  expect(faults.map(printFileFault).join()).toContain(message);
});

test.each([
  ['-- @project: string, required', []],
  [
    '-- @project: string, optional',
    ['x.sql:1:17: all-sources needs the parameter @project: string, required'],
  ],
  [
    '-- @project: regexp, required',
    ['x.sql:1:17: all-sources needs the parameter @project: string, required'],
  ],
  ['--', ['x.sql:1:17: all-sources needs the parameter @project: string, required']],
])('all-sources with %j', (parameter, faults) => {
  const text = `-- all-sources: true\n${parameter}\n--\nselect @project as project`;
  expect(faultsOf(text, 'x.sql')).toEqual(faults);
});
