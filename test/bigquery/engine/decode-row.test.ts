import { describe, expect, test } from 'vitest';
import { type Cell, rowPrinter } from '../../../src/bigquery/engine/decode-row.js';
import { arrayType, scalar, structType, type Type } from '../../../src/types/types.js';

function print(type: Type, v: Cell): string {
  const row = rowPrinter([{ name: 'x', type }])({ f: [{ v }] });
  return Buffer.from(row).toString().slice('{"x":'.length, -1);
}

test.each([
  ['INT64', '9007199254740993', '9007199254740993'],
  ['FLOAT64', '1.5', '1.5'],
  ['FLOAT64', '100', '100.0'],
  ['FLOAT64', '1e+21', '1e21'],
  ['FLOAT64', '1E-7', '1e-7'],
  ['FLOAT64', '-0.0', '-0.0'],
  ['FLOAT64', 'NaN', '"NaN"'],
  ['FLOAT64', 'Infinity', '"Infinity"'],
  ['FLOAT64', '-inf', '"-Infinity"'],
  ['BOOL', 'true', 'true'],
  ['TIMESTAMP', '1773144000000001', '1773144000000001'],
  ['DATE', '2026-03-10', '"2026-03-10"'],
  ['DATETIME', '2026-03-10T12:00:00', '"2026-03-10T12:00:00"'],
  ['DATETIME', '2026-03-10T12:00:00.5', '"2026-03-10T12:00:00.500000"'],
  ['TIME', '12:00:00.000000', '"12:00:00"'],
  ['NUMERIC', '1.5', '"1.5"'],
  ['BYTES', 'AAE=', '"AAE="'],
  ['JSON', '{"a":1}', '"{\\"a\\":1}"'],
  ['INTERVAL', '0-0 1 0:0:0', '"0-0 1 0:0:0"'],
  ['RANGE<DATE>', '[2026-03-10, UNBOUNDED)', '"[2026-03-10, UNBOUNDED)"'],
  [
    'RANGE<DATETIME>',
    '[2026-03-10T12:00:00, 2026-03-10T12:00:00.500000)',
    '"[2026-03-10 12:00:00, 2026-03-10 12:00:00.500)"',
  ],
  [
    'RANGE<TIMESTAMP>',
    '[UNBOUNDED, 1773144000000001)',
    '"[UNBOUNDED, 2026-03-10 12:00:00.000001+00)"',
  ],
  ['RANGE<TIMESTAMP>', '[1773144000500000, null)', '"[2026-03-10 12:00:00.500+00, UNBOUNDED)"'],
  [
    'RANGE<DATETIME>',
    '[2026-03-10T12:00:00.5, 2026-03-10T12:00:01.000000)',
    '"[2026-03-10 12:00:00.500, 2026-03-10 12:00:01)"',
  ],
  ['RANGE<DATETIME>', '[NULL, unbounded)', '"[UNBOUNDED, UNBOUNDED)"'],
  ['STRING', 'a"\n\u001f\\u001f', '"a\\"\\n\\u001F\\\\u001f"'],
] as const)('%s %s', (kind, cell, json) => {
  expect(print(scalar(kind), cell)).toBe(json);
  expect(print(scalar(kind), null)).toBe('null');
});

describe('nested values', () => {
  const records = arrayType(
    structType([
      { name: 'a', type: scalar('INT64') },
      { name: '', type: scalar('STRING') },
    ]),
  );

  test('records, whose fields may have no name', () => {
    const cell = [{ v: { f: [{ v: '1' }, { v: null }] } }];
    expect(print(records, cell)).toBe('[{"a":1,"_field_2":null}]');
  });

  test('an empty array is null', () => {
    expect(print(records, [])).toBe('null');
    expect(print(arrayType(scalar('STRING')), [])).toBe('null');
  });

  test('a field that the table does not have is not listed', () => {
    const fields = [
      { name: 'a', type: scalar('INT64'), stored: true },
      { name: 'b', type: scalar('INT64'), stored: false },
    ];
    expect(print({ kind: 'STRUCT', fields }, { f: [{ v: '1' }] })).toBe('{"a":1}');
  });
});

test('a TIMESTAMP that is not an integer is an error', () => {
  expect(() => print(scalar('TIMESTAMP'), '1.773144E9')).toThrow('BigInt');
});

test('a row of other columns is an error', () => {
  expect(() => print(scalar('INT64'), [{ v: '1' }])).toThrow('no text for a INT64');
  expect(() => rowPrinter([])({ f: [{ v: '1' }] })).toThrow('1 values where 0 were expected');
});

describe('a record whose table has changed', () => {
  const type = structType([
    { name: 'a', type: scalar('STRING') },
    { name: 'b', type: scalar('INT64') },
  ]);
  const print = (names: readonly string[], ...texts: readonly string[]) => {
    const fields = names.map((name) => ({ name, type: 'STRING' }));
    const schema = [{ name: 'c1', type: 'RECORD', fields }];
    const row = { f: [{ v: { f: texts.map((v) => ({ v })) } }] };
    return Buffer.from(rowPrinter([{ name: 'r', type }], schema)(row)).toString();
  };

  test('leaves out new fields', () => {
    expect(print(['new', 'a', 'B'], 'x', 'y', '1')).toBe('{"r":{"a":"y","b":1}}');
  });

  test('has NULL for fields that are gone', () => {
    expect(print(['new', 'a'], 'x', 'y')).toBe('{"r":{"a":"y","b":null}}');
  });
});
