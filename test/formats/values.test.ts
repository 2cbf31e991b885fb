import { expect, test } from 'vitest';
import { shownType, type Value, valueReader } from '../../src/formats/values.js';
import {
  arrayType,
  type ScalarName,
  scalar,
  structType,
  type Type,
} from '../../src/types/types.js';

const read = (json: string, type: Type) => valueReader(shownType(type))(json);

test.each<readonly [ScalarName, string, Value]>([
  ['BOOL', 'true', true],
  ['INT64', '-9223372036854775808', -9223372036854775808n],
  ['FLOAT64', '-1.5e300', -1.5e300],
  ['FLOAT64', '"Infinity"', Number.POSITIVE_INFINITY],
  ['NUMERIC', '"-0.000000001"', -1n],
  ['NUMERIC', '"-99999999999999999999999999999.999999999"', 1n - 10n ** 38n],
  ['BIGNUMERIC', '"1.5"', 150_000_000n],
  ['BIGNUMERIC', `"-${'9'.repeat(30)}.99999999"`, 1n - 10n ** 38n],
  ['DATE', '"1969-12-31"', -1],
  ['DATE', '"0001-01-01"', -719162],
  ['DATETIME', '"1969-12-31T23:59:59.999999"', -1n],
  ['TIME', '"00:00:01"', 1_000_000n],
  ['TIMESTAMP', '-1', -1n],
  ['STRING', String.raw`"\\\"\u00e9\\"`, '\\"é\\'],
  ['STRING', '"null"', 'null'],
  ['STRING', 'null', null],
])('%s from %s', (kind, json, value) => {
  expect(read(json, scalar(kind))).toEqual(value);
});

test.each(['"1.123456789"', `"${'9'.repeat(31)}"`])('the BIGNUMERIC %s does not fit', (json) => {
  expect(() => read(json, scalar('BIGNUMERIC'))).toThrow('cast it to STRING');
});

test('names of fields are unique, whatever their case, and never reach a prototype', () => {
  const names = ['a', 'A', '', '__proto__'];
  const type = structType(names.map((name) => ({ name, type: scalar('INT64') })));
  const record = read('{"a":1,"A":2,"_field_3":3,"__proto__":4}', type) as object;
  expect(Object.entries(record)).toEqual([
    ['a', 1n],
    ['A_2', 2n],
    ['_field_3', 3n],
    ['__proto__', 4n],
  ]);
});

test('a struct without stored fields is a NULL text; nested values keep their NULLs', () => {
  const empty: Type = { kind: 'STRUCT', fields: [] };
  expect(shownType(empty)).toEqual(scalar('STRING'));
  const type = arrayType(structType([{ name: 'e', type: empty }]));
  expect(read(' [ {"e" : null} , null ] ', type)).toEqual([{ e: null }, null]);
});

test('a row of another shape is an error', () => {
  const type = structType([{ name: 'a', type: scalar('INT64') }]);
  for (const json of ['{}', '{"a":1,"b":2}', '{"a"1}']) expect(() => read(json, type)).toThrow();
});

test('an undeclared field may be missing from an object, and no other may', () => {
  const text = { kind: 'STRING' } as const;
  const type: Type = {
    kind: 'STRUCT',
    fields: [
      { name: 'a', type: text, stored: true },
      { name: 'b', type: text, stored: true, undeclared: true },
      { name: 'c', type: text, stored: true, undeclared: true },
    ],
  };
  expect(read('{"a":"1","c":"3"}', type)).toEqual({ a: '1', b: null, c: '3' });
  expect(read('{"a":null}', type)).toEqual({ a: null, b: null, c: null });
  expect(() => read('{"b":"2","c":"3"}', type)).toThrow('members');
});
