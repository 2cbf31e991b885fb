import { expect, test } from 'vitest';
import { elementsAt, partAt, scalarsAt } from '../../src/values/json-raw.js';

const text =
  ' { "a" : [ 1.10 , { "b~/" : -0 , "b~/" : 2 } , ], "\\u0063":"\\u00e9,]" , "d": NaN } ';

test.each([
  ['$', null],
  ['/a', '[1.10,{"b~/":-0,"b~/":2}]'],
  ['/a/0', '1.10'],
  ['/a/1/b~0~1', '-0'],
  ['/c', '"é,]"'],
  ['/d', null],
  ['/a/2', null],
  ['/a/b', null],
  ['/e', null],
  ['/c/0', null],
])('the part at %s', (pointer, part) => {
  expect(partAt(text, pointer)).toBe(part);
});

test('the whole is without blanks', () => {
  expect(partAt(text.replace('NaN', '"nan"'), '$')).toBe(
    '{"a":[1.10,{"b~/":-0,"b~/":2}],"c":"é,]","d":"nan"}',
  );
});

test('the elements of an array are texts', () => {
  expect(elementsAt('[1e3, "a", null, [ 1 ]]', '$')).toBe('["1e3","\\"a\\"","null","[1]"]');
  expect(scalarsAt('{"x":[1e3, "a\\"", null, true]}', '/x')).toBe('["1e3","a\\"",null,"true"]');
  expect(scalarsAt('[1, []]', '$')).toBeNull();
  expect([elementsAt('{"a":1}', '$'), scalarsAt('1', '$'), elementsAt('[]', '$')]).toEqual([
    null,
    null,
    '[]',
  ]);
});

test('brackets may be nested deeply', () => {
  const deep = `${'['.repeat(100_000)}1.0${']'.repeat(100_000)}`;
  expect(partAt(`{"a":${deep},"b":1.0}`, '/b')).toBe('1.0');
  expect(partAt(deep, '/0/0') === deep.slice(2, -2)).toBe(true);
  // Without reading the elements on the way, which would take minutes.
  const steps = 90_000;
  expect(partAt(deep, '/0'.repeat(steps)) === deep.slice(steps, -steps)).toBe(true);
});
