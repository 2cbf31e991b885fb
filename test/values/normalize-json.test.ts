import { describe, expect, test } from 'vitest';
import { compareCodePoints } from '../../src/values/json-tree.js';
import { normalizeJson } from '../../src/values/normalize-json.js';
import { ValueFault } from '../../src/values/value-fault.js';

describe('a JSON text is printed as a JSON value', () => {
  test.each([
    ['without blanks', ' { "a" : [ 1 , { } , [ ] ] ,\n"b" : null } ', '{"a":[1,{},[]],"b":null}'],
    ['with few escapes', '"\\u00e9\\/\\u0041\\b\\u0001\\""', '"é/A\\b\\u0001\\""'],
    ['by code point', '{"\ue000":1,"😀":2,"b":3,"":4}', '{"":4,"b":3,"\ue000":1,"😀":2}'],
    ['with its first members', '{"b":1,"a":2,"\\u0061":3,"b":4}', '{"a":2,"b":1}'],
    ['of any name', '{"a\\"b":2,"__proto__":1}', '{"__proto__":1,"a\\"b":2}'],
    ['of numbers', '[1e3,1.10,-0,-0.0,1e15,1E-5]', '[1000.0,1.1,0,-0.0,1e+15,1e-05]'],
  ])('%s', (_, text, expected) => {
    expect(normalizeJson(text, 'exact')).toBe(expected);
    expect(normalizeJson(expected, 'exact')).toBe(expected);
  });

  test('with many members, too', () => {
    const names = Array.from({ length: 1_000 }, (_, i) => `${(i * 7919) % 1_000}`.padStart(3, '0'));
    const members = (all: readonly string[]) => all.map((name) => `"${name}":0`).join(',');
    const text = `{${members(names)},"000":1}`;
    expect(normalizeJson(text, 'exact')).toBe(`{${members([...names].sort())}}`);
  });

  test('if it is 10 million characters long', () => {
    const text = JSON.stringify({ a: '"'.repeat(5_000_000) });
    expect(normalizeJson(text, 'exact') === text).toBe(true);
  });
});

test.each([
  ...['', ' ', '{', '[1', '[1 2]', '[1,]', '{"a"}', '{"a":1,}', '{a:1}', '{"a":1 "b":2}'],
  ...['01', '-', '1.', '.5', '+1', '1e', 'NaN', 'tru', 'truex', '1 2', "'a'", '"a', '"\n"'],
  ...['"\\x"', '"\\u12"', '"\\ud800"', '"\\udc00\\ud800"', '\f1', '// c\n1', '"a"]'],
])('%j is not JSON', (text) => {
  expect(() => normalizeJson(text, 'round')).toThrow(ValueFault);
});

test('names are in the order of their bytes in UTF-8', () => {
  const names = ['', 'B', 'a', 'a\0', 'ab', 'é', '\ud7ff', '\ue000', '\uffff', '😀', '😀a', '😁'];
  expect([...names].reverse().sort(compareCodePoints)).toEqual(names);
});
