import { expect, test } from 'vitest';
import { encodeRows } from '../../src/formats/encode.js';
import type { Format, FormatColumn } from '../../src/formats/formats.js';
import { arrayType, type ScalarName, scalar, structType } from '../../src/types/types.js';

const column = (name: string, kind: ScalarName): FormatColumn => ({ name, type: scalar(kind) });

async function encode(
  format: Format,
  rows: readonly string[],
  columns: readonly FormatColumn[] = [],
): Promise<string> {
  const bytes = rows.map((row) => Buffer.from(row));
  return Buffer.from(await encodeRows(bytes, format, columns)).toString();
}

const rows = ['{"n":9007199254740993,"s":"a\\nb"}', '{"n":null,"s":"é"}'];

test.each([
  ['json', `[${rows[0]},${rows[1]}]`, '[]'],
  ['ndjson', `${rows[0]}\n${rows[1]}\n`, ''],
] as const)('%s holds the rows as they are', async (format, some, none) => {
  expect(await encode(format, rows)).toBe(some);
  expect(await encode(format, [])).toBe(none);
});

test.each<readonly [string, FormatColumn, string, string]>([
  ['a number', column('v', 'INT64'), '-9007199254740993', '-9007199254740993'],
  ['a number in quotes', column('v', 'NUMERIC'), '"1.50"', '1.50'],
  ['an infinite number', column('v', 'FLOAT64'), '"-Infinity"', '-Infinity'],
  ['a text', column('v', 'STRING'), '"é \\u0001"', 'é \u0001'],
  ['a comma', column('v', 'STRING'), '"a,b"', '"a,b"'],
  ['a quote', column('v', 'STRING'), '"a\\"b"', '"a""b"'],
  ['a line break', column('v', 'STRING'), '"a\\r\\nb"', '"a\r\nb"'],
  ['spaces', column('v', 'STRING'), '" a "', ' a '],
  ['a formula', column('v', 'STRING'), '"=1+1"', '=1+1'],
  ['an empty text', column('v', 'STRING'), '""', '""'],
  ['a text that says null', column('v', 'STRING'), '"null"', 'null'],
  ['NULL', column('v', 'STRING'), 'null', ''],
  ['a time', column('v', 'TIMESTAMP'), '1773144000123450', '2026-03-10T12:00:00.123450Z'],
  ['the first time', column('v', 'TIMESTAMP'), '-62135596800000000', '0001-01-01T00:00:00Z'],
  ['the last', column('v', 'TIMESTAMP'), '253402300799999999', '9999-12-31T23:59:59.999999Z'],
  ['an array', { name: 'v', type: arrayType(scalar('STRING')) }, '["a"]', '"[""a""]"'],
  [
    'a time in a struct',
    { name: 'v', type: structType([{ name: 'at', type: arrayType(scalar('TIMESTAMP')) }]) },
    '{"at":[0]}',
    '"{""at"":[""1970-01-01T00:00:00Z""]}"',
  ],
])('CSV of %s', async (_what, shown, value, cell) => {
  const columns = [column('id', 'INT64'), shown];
  expect(await encode('csv', [`{"id":1,"v":${value}}`], columns)).toBe(`id,v\r\n1,${cell}\r\n`);
});

test('CSV without rows has the header, and a NULL alone has a line', async () => {
  const columns = [column('a "b", c', 'STRING')];
  expect(await encode('csv', [], columns)).toBe('"a ""b"", c"\r\n');
  expect(await encode('csv', ['{"a":null}', '{"a":"x"}'], [column('a', 'STRING')])).toBe(
    'a\r\n""\r\nx\r\n',
  );
});

test('Parquet without rows has a list of no structs as its row groups, which readers in Rust demand', async () => {
  const columns = [column('n', 'INT64'), { name: 'l', type: arrayType(scalar('STRING')) }];
  const file = Buffer.from(await encodeRows([], 'parquet', columns)).toString('latin1');
  expect(file).toContain('\x16\x00\x19\x0c\x28\x0dlog-endpoints');
});

test('a value that looks like the end of a Parquet file stays', async () => {
  const text = '\x16\x00\x19\x00\x28\x0dlog-endpoints';
  const row = Buffer.from(JSON.stringify({ s: text }));
  const file = Buffer.from(await encodeRows([row], 'parquet', [column('s', 'STRING')]));
  expect(file.toString('latin1')).toContain(text);
});
