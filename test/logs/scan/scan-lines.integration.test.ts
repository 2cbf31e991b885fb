import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { recordShape, type Shape } from '../../../src/logs/columns/shape.js';
import { scanLines } from '../../../src/logs/scan/scan-lines.js';
import { makeFolder } from '../../support/load-logs.js';
import { scanRows } from '../../support/scan-rows.js';
import { openLoadScratch } from '../../support/scratch-database.js';

const { connection, close } = await openLoadScratch();
afterAll(close);

async function scan(content: string | Uint8Array) {
  const folder = makeFolder({ 'a.ndjson': content });
  const path = join(folder, 'a.ndjson');
  const kind = { format: 'lines', compression: 'none' } as const;
  const file = { source: 'edge_logs', name: 'a.ndjson', path, ...kind };
  return { found: await scanLines({ file, onRead: () => undefined }), path };
}

async function ask(path: string) {
  const { shape, objects, bad, badLines } = await scanRows(
    connection,
    `select 0 as n, json from read_json_objects('${path}', format = 'newline_delimited',
      compression = 'uncompressed', ignore_errors = true)`,
  );
  return { shape: printShape(shape), counts: { objects, bad, badLines } };
}

function printShape({ scalars, fields, elements, hasSeveral }: Shape): unknown {
  const inner = fields && Object.fromEntries([...fields].map(([k, v]) => [k, printShape(v)]));
  return [[...scalars].sort(), inner, elements && printShape(elements), hasSeveral];
}

const values = [
  ...['1', '0', '-1', '1.5', '-0.25', '123456789012345678', 'true', 'false', 'null', '""', '"x"'],
  ...['[]', '{}', '[1]', '[null]', '["a","b"]', '[{"b":1}]', '[{"b":1},{"c":"x"}]', '{"b":{}}'],
  ...['[[1]]', '[{"b":[{"c":1},{"c":2}]}]', ' [ 1 , 2 ] ', '\t{ "b" : 1 }\r', '"\\n\\u00e9\\/"'],
  ...['"abcd"', '"abc\\n"', '"abcdefgh\\\\"', '"ab\u007f¢Üé£ÿ"', '"!!!!#### [[]]"'],
  ...[
    '-0',
    '1e5',
    '12345678901234567890',
    '-9223372036854775809',
    '1e400',
    '1E-7',
    '0.10000000001',
  ],
  ...['{"b\\n":1}', '{"\\u0062":1}', '{"\\"":{"b":1}}', `${'['.repeat(63)}${']'.repeat(63)}`],
  ...['NaN', '-Infinity', 'inf', '{"b":1,"b":"x"}', '[nan,-INF]', '{"b":[{},{}],"b":1}'],
  ...['"पुणे"', '"\\ud83d\\ude00"', '{"B":1,"b":2}', '[{},null]', '[[],[[]]]'],
];

describe('DuckDB reads a line that passes the scan in the same way', () => {
  test.each(values)('%s', async (value) => {
    const { found, path } = await scan(`{"id":"1","a":${value}}\n{"id":2}\n\n`);
    const { shape, counts } = await ask(path);
    expect(found && printShape(found.shape)).toEqual(shape);
    expect(found).toMatchObject(counts);
    expect(counts.bad).toBe(0);
  });
});

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9])(
  'a key of %i bytes is found again, but neither a longer nor a cut one',
  async (length) => {
    const key = 'abcdefghi'.slice(0, length);
    const lines = [`{"${key}":1}`, `{"${key}":"x","${key}y":2}`, `{"${key.slice(1)}":true}`];
    const { found, path } = await scan(`${lines.join('\n')}\n{"${key}`);
    const { shape, counts } = await ask(path);
    expect(printShape(found.shape)).toEqual(shape);
    expect(found).toMatchObject(counts);
    expect(counts).toMatchObject({ objects: 3, bad: 1 });
  },
);

describe('a line that does not pass is none for DuckDB either, and leaves no trace', () => {
  test.each([
    ...['01', '-', '+1', '.5', '1.', '1e', 'tru', '"x', '"\t"', '"abcd\u001f"', '"ÿÿ\u0000ab"'],
    ...['"\\x"', '"\\u12"', 'nanx', '-in', '{b:1}'],
    ...['[1', '{"b"}', '1}{"id":2', `${'['.repeat(70)}${']'.repeat(70)}`, '1} x'],
  ])('%s', async (value) => {
    const line = `{"id":"1","new":{"z":["x",{"y":1}]},"a":${value}}`;
    const { found, path } = await scan(`{"id":"1","a":"x"}\n${line}\n{"id":"2"}`);
    const { shape, counts } = await ask(path);
    const alone = await scan('{"id":"1","a":"x"}\n{"id":"2"}');
    const isTooDeep = value.includes('['.repeat(65));
    expect(found).toEqual({
      ...alone.found,
      lines: 2,
      bad: 1,
      badLines: [{ n: 2, isTooDeep: false }],
      needsMending: isTooDeep,
      longest: expect.any(Number),
    });
    expect(found).toMatchObject(counts);
    expect(found && printShape(found.shape)).toEqual(shape);
  });

  test.each(['"\\ud83d"', '"\\ude00"', '[1,]', '{"b":1, }', '"\xff"'])(
    'and needs mending if DuckDB would read it in its own way: %s',
    async (value) => {
      const { found } = await scan(Buffer.from(`{"id":"1","a":${value}}\n`, 'latin1'));
      expect(found).toMatchObject({ bad: 1, needsMending: true });
    },
  );

  test('nor do lines that are not UTF-8 or not objects', async () => {
    const bytes = Buffer.from('{"id":"\xff"}\n[1]\n7\n{"id":"é"}\n', 'latin1');
    expect((await scan(bytes)).found).toMatchObject({ objects: 0, bad: 4 });
  });
});

test('after ten thousand names, the values of others are only checked', async () => {
  const names = Array.from({ length: 10_000 }, (_, n) => `"n${n}":${n}`);
  const others = [
    '{"more":{"a":[1,{"b":2}],"a":2},"n7":"x","more":3,"and":[[]]}',
    '{"more":{"a":01}}',
  ];
  const { found } = await scan(`{${names.join(',')}}\n${others.join('\n')}\n`);
  expect(found).toMatchObject({ objects: 2, bad: 1, shape: { isPartial: true } });
  expect([...(found.shape.fields?.keys() ?? [])]).toEqual(names.map((_, n) => `n${n}`));
  expect(found.shape.fields?.get('n7')).toMatchObject({ scalars: new Set(['VARCHAR', 'UBIGINT']) });
});

test('the fields of a repeated key take no places', async () => {
  const names = Array.from({ length: 9_999 }, (_, n) => `"n${n}":1`);
  const { found } = await scan(`{"a":{${names.join(',')}},"a":{"x":1,"y":2}}\n{"a":{"last":1}}\n`);
  expect(found.shape.fields?.get('a')).toMatchObject({ isPartial: false });
  expect(found.shape.fields?.get('a')?.fields?.has('last')).toBe(true);
});

test('lines may span several chunks', async () => {
  const line = (index: number) => JSON.stringify({ id: `${index}`, a: 'ö'.repeat(index % 997) });
  const lines = Array.from({ length: 3000 }, (_, index) => line(index));
  const { found } = await scan(lines.join('\n'));
  expect(found).toMatchObject({ objects: 3000, bad: 0 });
  expect(found && severalIn(found.shape)).toEqual([]);
});

/** The paths of arrays with several objects; enclosing arrays add no key. */
function severalIn(shape: Shape, path = ''): readonly string[] {
  const fields = [...(recordShape(shape).fields ?? [])];
  const inner = fields.flatMap(([key, field]) => severalIn(field, `${path}.${key}`));
  return shape.hasSeveral ? [path, ...inner] : inner;
}

test.each([
  ['{"id":1,"a":[{},{}]}', ['.a']],
  ['{"id":1,"a":[{"b":[{},1,{}]}]}', ['.a.b']],
  ['{"id":1,"a":[[{},{}]]}', []],
  ['{"id":1,"a":[{},null,1]}', []],
])('several objects: %s', async (line, expected) => {
  const { found } = await scan(line);
  expect(found && severalIn(found.shape)).toEqual(expected);
});
