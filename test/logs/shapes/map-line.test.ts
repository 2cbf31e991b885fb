import { expect, test } from 'vitest';
import { createLineMapper } from '../../../src/logs/shapes/map-line.js';
import type { Mapping } from '../../../src/logs/shapes/mapping.js';
import { readShippedShapes } from '../../support/declared-sources.js';

const shapes = new Map(readShippedShapes().map(({ name, mapping }) => [name, mapping]));

const plain: Mapping = {
  id: ['id'],
  timestamp: ['timestamp', 'time'],
  eventMessage: ['event_message', 'msg'],
  project: { from: ['tenant', 'labels.tenant'], otherwise: 'default' },
  columns: ['identifier'],
};

function map(line: string, mapping: Mapping = plain): string {
  const mapped = createLineMapper(mapping)(Buffer.from(line).toString('latin1'));
  return Buffer.from(mapped, 'latin1').toString();
}

test.each([
  ['pino', '{"level":30,"time":1773143999000,"pid":1,"msg":"up"}', { level: 30, pid: 1 }, 'up'],
  [
    'bunyan',
    '{"name":"a","hostname":"h","pid":1,"level":30,"msg":"up","time":"2026-03-10T11:59:59.000Z","v":0}',
    { name: 'a', hostname: 'h', pid: 1, level: 30, v: 0 },
    'up',
  ],
  [
    'winston',
    '{"level":"info","message":"up","timestamp":"2026-03-10T11:59:59.000Z"}',
    { level: 'info' },
    'up',
  ],
  [
    'nginx',
    '{"time_iso8601":"2026-03-10T11:59:59+00:00","status":"200","request":"GET / HTTP/1.1"}',
    { status: '200' },
    'GET / HTTP/1.1',
  ],
  [
    'nginx',
    '{"msec":"1773143999.000","request_method":"GET","request_uri":"/a"}',
    { request_method: 'GET', request_uri: '/a' },
    'GET /a',
  ],
  [
    'journald',
    '{"__CURSOR":"s=1","__REALTIME_TIMESTAMP":"1773143999000000","MESSAGE":[27,91,109,117,112],"PRIORITY":"6"}',
    { PRIORITY: '6' },
    'up',
  ],
])('a record of %s becomes one of ours', (shape, line, metadata, message) => {
  const record = JSON.parse(map(line, shapes.get(shape)));
  expect(record).toMatchObject({ event_message: message, project: 'default', metadata });
  expect(Object.keys(record.metadata)).toEqual(Object.keys(metadata));
  expect(String(record.timestamp)).toMatch(/^(1773143999|2026-03-10T11:59:59)/);
});

test.each([
  ['blank lines stay blank', ' \t\r', ''],
  [
    'numbers keep their digits',
    '{"n":9007199254740993,"x":1.10}',
    '"metadata":{"n":9007199254740993,"x":1.10}}',
  ],
  ['texts keep their characters and escapes', '{"é":"\\u00e9中"}', '"metadata":{"é":"\\u00e9中"}}'],
  [
    'the first of two spellings counts',
    '{"MSG":"a","msg":"b"}',
    '"event_message":"a","project":"default","metadata":{"msg":"b"}}',
  ],
  [
    'the first name with a value counts',
    '{"time":2,"timestamp":null}',
    '{"timestamp":2,"project":"default","metadata":{"timestamp":null}}',
  ],
  [
    'a message that is no text is its JSON',
    '{"msg":{"a":"\\""}}',
    '{"event_message":"{\\"a\\":\\"\\\\\\"\\"}"',
  ],
  ['a line break at the end of a message goes', '{"msg":"a\\r\\n"}', '{"event_message":"a"'],
  ['also of one that lists its bytes', '{"msg":[97,10]}', '{"event_message":"a"'],
  [
    'a list with a number that is no byte is JSON',
    '{"msg":[97,256]}',
    '"event_message":"[97,256]"',
  ],
  ['an empty list is JSON', '{"msg":[]}', '"event_message":"[]"'],
  ['a backslash before n is none', '{"msg":"a\\\\n"}', '{"event_message":"a\\\\n"'],
  ['metadata stays where it is', '{"metadata":[{"a":1}],"b":2}', '"metadata":{"a":1,"b":2}}'],
  ['metadata of two records is kept', '{"metadata":[{"a":1},{}]}', '"metadata":[{"a":1},{}]}'],
  [
    'metadata of two records beside other fields is a field',
    '{"metadata":[{"a":1},{}],"b":2}',
    '"metadata":{"metadata":[{"a":1},{}],"b":2}}',
  ],
  ['metadata of texts is a field', '{"metadata":["a"]}', '"metadata":{"metadata":["a"]}}'],
  ['metadata that is a text is a field', '{"metadata":"a"}', '"metadata":{"metadata":"a"}}'],
  ['declared columns stay columns', '{"Identifier":"x"}', '"identifier":"x"}'],
  [
    'a project may be deeper',
    '{"labels":[{"tenant":"t"}]}',
    '"project":"t","metadata":{"labels":[{"tenant":"t"}]}}',
  ],
  [
    'NaN and infinities are kept',
    '{"tenant":"t","NaN":[NaN,-Infinity],"s":"inf"}',
    '"project":"t","metadata":{"NaN":[NaN,-Infinity],"s":"inf"}}',
  ],
  ['a message of a list with NaN', '{"msg":[NaN]}', '"event_message":"[NaN]"'],
  ['an empty project is none', '{"tenant":""}', '"project":"default"}'],
])('%s', (_name, line, expected) => {
  expect(map(line)).toContain(expected);
});

test('a name with dots leads into records, where the value stays', () => {
  const paths = { timestamp: ['at.time'], eventMessage: ['log.text', 'log.other'], id: ['a.b'] };
  const line = '{"at":{"Time":1},"log":{"text":null,"other":"up"},"a.b":"x","a":{"b":"y"}}';
  expect(map(line, { ...plain, ...paths })).toBe(
    '{"timestamp":1,"event_message":"up","id":"x","project":"default",' +
      '"metadata":{"at":{"Time":1},"log":{"text":null,"other":"up"},"a":{"b":"y"}}}',
  );
});

test.each([
  ['an array', '[{"tenant":"a"}]'],
  ['a scalar', '"tenant"'],
  ['a trailing comma, which DuckDB reads', '{"tenant":"a","project":"b",}'],
  ['a word like NaN', '{"project":"b","x":NaNa}'],
  ['two records', '{"project":"a"}{"project":"b"}'],
  ['two records with a carriage return between them', '{"project":"a"}\r{"project":"b"}'],
  ['a record that is cut short', '{"project":"b","tenant":"a'],
])('%s is a line that is no JSON', (_name, line) => {
  expect(map(line)).toBe('!');
});

test.each([
  ['{"project":"b","msg":"a"}'],
  ['{"Project":"b"}'],
  ['{"PROJECT":"b","tenant":null}'],
  ['{"\\u0070roject":"b"}'],
  ['{"project":"a","project":"b"}'],
  ['{"metadata":{"project":"b"},"project":"c"}'],
])('%s names no project where the project is another field', (line) => {
  const { project, metadata } = JSON.parse(map(line));
  expect([project, Object.keys(metadata)]).toEqual(['default', expect.anything()]);
  const constant = { ...plain, project: { from: [], otherwise: 'mine' } };
  expect(JSON.parse(map(line, constant))).toMatchObject({ project: 'mine' });
});

test.each([
  ['{"project_ref":"b","tenant":"a"}'],
  ['{"tenant":"a","Project_Ref":"b","PROJECT_REF":"c"}'],
  ['{"metadata":{"project_ref":"b"},"tenant":"a"}'],
  ['{"metadata":{"project\\u005fref":"b"},"tenant":"a"}'],
])('%s has one project where the project is a field of metadata', (line) => {
  const mapping = { ...plain, project: { ...plain.project, field: 'project_ref' } };
  expect(JSON.parse(map(line, mapping))).toEqual({ metadata: { project_ref: 'a' } });
});

test('a name that only folds to that of the project is the same field', () => {
  const mapping = { ...plain, project: { ...plain.project, field: 'key' } };
  // The Kelvin sign is a k in lower case.
  expect(JSON.parse(map('{"tenant":"a","\u212aey":"b"}', mapping))).toEqual({
    metadata: { key: 'a' },
  });
});
