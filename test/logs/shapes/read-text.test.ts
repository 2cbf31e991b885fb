import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createLineMapper, createRecordMapper } from '../../../src/logs/shapes/map-line.js';
import type { Mapping } from '../../../src/logs/shapes/mapping.js';
import { createTextReader } from '../../../src/logs/shapes/read-text.js';
import { mappingsOf, readShippedShapes } from '../../support/declared-sources.js';
import { root } from '../../support/paths.js';

const samples = join(root, 'test/logs/shapes/samples');
const shapes = mappingsOf(readShippedShapes({ makesLevel: true }));

const texts = readdirSync(samples).flatMap((name) => {
  const file = readdirSync(join(samples, name)).find((one) => one !== 'expected.json') ?? '';
  const { shape } = JSON.parse(readFileSync(join(samples, name, 'expected.json'), 'utf8'));
  const bytes = readFileSync(join(samples, name, file));
  const text = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  const mapping = shapes[shape];
  return mapping?.text === undefined ? [] : [{ name, mapping, lines: text.trimEnd().split('\n') }];
});

/** The records of lines, without their messages, on which other lines may go; and how many lines they took. */
function readAll(mapping: Mapping, lines: readonly string[]) {
  const { text } = mapping;
  if (text === undefined) throw new Error('no text');
  const hasTimes = lines.some((line) => /\d{4}-\d\d-\d\d/.test(line));
  const shape = hasTimes ? text : (text.otherwise ?? text);
  const reader = createTextReader(shape, createRecordMapper(mapping), { writtenMs: 0 });
  const latin = lines.map((line) => Buffer.from(line).toString('latin1'));
  const written = latin.map(reader.read).join('') + reader.end();
  const records = written.split('\n').filter((line) => line.startsWith('{'));
  return {
    lines: written.split('\n').length - 1,
    records: records.map((record) => {
      const { event_message: _, level: __, ...rest } = JSON.parse(record);
      return JSON.stringify(rest);
    }),
  };
}

const long = 'a'.repeat(1_000_000);
const others = ['{"a":1}', 'x', '   ', '"', '\\', '[[[[', '\u0000\u001b[31m', '%', ','];

test.each(texts)('lines of others between those of $name lose no record', ({ mapping, lines }) => {
  const { records } = readAll(mapping, lines);
  const half = (line: string) => line.slice(0, line.length / 2);
  for (const strange of [
    ...others,
    long,
    `${lines[2]}${long}`,
    long.replaceAll('aaaa', 'a "'),
    long.replaceAll('aaaa', 'a=b '),
    half(lines[3] ?? ''),
  ]) {
    const mixed = lines.flatMap((line, index) =>
      index === lines.length - 1 ? [line, strange] : [line],
    );
    const found = readAll(mapping, mixed);
    expect(found.lines).toBe(mixed.length);
    for (const record of records.slice(0, -1)) expect(found.records).toContain(record);
  }
});

test('names of columns may be those of methods of every object', () => {
  const mapping = shapes['csv'];
  if (mapping === undefined) throw new Error('no shape');
  const lines = ['time,constructor,__proto__,toString,valueOf', '2026-03-10T12:00:00Z,a,b,c,d'];
  const { records } = readAll(mapping, lines);
  expect(records).toHaveLength(1);
  expect(records[0]).toContain('"constructor":"a"');
});

test('lists of keys and values cost what their bytes cost, however deep they are', () => {
  const mapping = shapes['otlp'];
  if (mapping === undefined) throw new Error('no shape');
  let value = '{"stringValue":"x"}';
  for (let depth = 0; depth < 3_000; depth += 1)
    value = `{"arrayValue":{"values":[{"key":"k","value":${value}},{"stringValue":"y"}]}}`;
  const line = `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1","body":${value}}]}]}]}`;
  const mapLine = createLineMapper(mapping);
  expect(mapLine(line)).toContain('"timestamp":"1"');
  expect(mapLine('{"resourceLogs":[{"scopeLogs":7}]}')).toContain('"metadata"');
});

/** The records of lines of JSON of a shape. */
function mapAll(shape: string, lines: readonly string[]): readonly string[] {
  const mapping = shapes[shape];
  if (mapping === undefined) throw new Error('no shape');
  const mapLine = createLineMapper(mapping);
  const latin = lines.map((line) => Buffer.from(line).toString('latin1'));
  return latin.map((line) => Buffer.from(mapLine(line), 'latin1').toString());
}

// Written with one character for each byte, U+0122 would be a quote, and U+010A a line break.
const forging = '\\u0122}\\u010a{\\u0122project\\u0122:\\u0122victim\\u0122}\\u010a';

test.each([
  ['json', `{"time":1,"msg":"a","metadata":"{\\"k\\":\\"${forging}\\"}"}`],
  [
    'otlp',
    `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"a":[{"key":"${forging}","value":{"stringValue":"b"}}]}]}]}]}`,
  ],
  ['cloudtrail', `{"Records":[{"eventTime":"x","${forging}":1,"eventName":"${forging}"}]}`],
])('escapes in a record of %s forge no record', (shape, line) => {
  const [written = ''] = mapAll(shape, [line]);
  expect(written.split('\n')).toHaveLength(1);
  expect(JSON.parse(written)).toMatchObject({ project: 'default' });
});

test('escapes in JSON in a string keep their characters', () => {
  const [written = ''] = mapAll('json', ['{"time":1,"metadata":"{\\"k\\":\\"\\u4e2d\\"}"}']);
  expect(JSON.parse(written)).toMatchObject({ metadata: { k: '\u4e2d' } });
});

test('members beside a list are not copied without limit', () => {
  const line = `{"a":"${long}","Records":[${'{},'.repeat(100_000)}{}]}`;
  expect(mapAll('cloudtrail', [line]).join('').length).toBeLessThan(20_000_000);
});

test('a project is not taken from text', () => {
  for (const [shape, line] of [
    ['logfmt', 'ts=2026-03-10T12:00:00Z msg=a project=victim'],
    ['ruby-logger', 'I, [2026-03-10T12:00:00.000001 #7]  INFO -- : a project=victim'],
  ] as const) {
    const mapping = shapes[shape];
    if (mapping === undefined) throw new Error('no shape');
    expect(readAll(mapping, [line]).records.join()).toContain('"project":"default"');
  }
});

test('rows after quotes that do not end are rows', () => {
  const mapping = shapes['csv'];
  if (mapping === undefined) throw new Error('no shape');
  const rows = Array.from(
    { length: 20 },
    (_, index) => `2026-03-10T12:00:${10 + index}Z,a${index}`,
  );
  const { records, lines } = readAll(mapping, ['time,name', '2026-03-10T12:00:00Z,"oops', ...rows]);
  expect(records).toHaveLength(20);
  expect(lines).toBe(22);
});

test('a template does not write an object into a message', () => {
  const [written = ''] = mapAll('json', ['{"time":1,"method":"GET","url":{"path":"/x"}}']);
  expect(JSON.parse(written)).toHaveProperty('event_message');
});

test('elements of a wrapper that are no records are counted', () => {
  const [written = ''] = mapAll('cloudtrail', [
    '{"a":[1],"Records":[1,{"eventName":"x"},"y"],"b":[1]}',
  ]);
  expect(written.split('\n').map((line) => line.trimStart().charAt(0))).toEqual(['!', '{', '!']);
  expect(JSON.parse(written.split('\n')[1] ?? '')).toMatchObject({ metadata: { a: [1], b: [1] } });
});

test.each([
  ['text', `2026-03-10 12:00:00 [${' '.repeat(1_000_000)}x`],
  ['ruby-logger', `I, [2026-03-10T12:00:00 #7]  INFO -- : ${"a='b ".repeat(150_000)}`],
])('a long line of %s takes little time', (shape, line) => {
  const mapping = shapes[shape];
  if (mapping === undefined) throw new Error('no shape');
  const begin = process.cpuUsage().user;
  expect(readAll(mapping, [line]).records).toHaveLength(1);
  expect(process.cpuUsage().user - begin).toBeLessThan(2_000_000);
});

test('several details of a record are kept', () => {
  const mapping = shapes['postgres'];
  if (mapping === undefined) throw new Error('no shape');
  const at = '2026-03-10 12:00:00.000 UTC [7]';
  const lines = [`${at} ERROR:  a`, `${at} CONTEXT:  one`, `${at} CONTEXT:  two`];
  expect(readAll(mapping, lines).records.join()).toContain('"context":"one\\ntwo"');
});
