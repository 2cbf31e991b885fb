import { expect, test } from 'vitest';
import { differenceOfRows } from './compare-rows.js';
import { type Json, parseJson } from './json.js';

const same = [
  ['numbers of one value', '[{"a":2}]', '[{"a":2.0}]', 'exact', false],
  ['within 1e-9', '[{"a":0.30000000000000004}]', '[{"a":0.3}]', 'exact', false],
  ['rows in any order', '[{"a":1},{"a":2}]', '[{"a":2},{"a":1}]', 'any', false],
  ['a null below that is absent', '[{"a":[{"b":1,"c":null}]}]', '[{"a":[{"b":1}]}]', 'any', false],
  ['keys below in any order', '[{"a":{"b":1,"c":2}}]', '[{"a":{"c":2,"b":1}}]', 'exact', true],
] as const;

const different = [
  ['the last digit', '[{"a":9007199254740993}]', '[{"a":9007199254740992}]', 'exact', false],
  ['beyond 1e-9', '[{"a":0.3001}]', '[{"a":0.3}]', 'exact', false],
  ['the order of rows', '[{"a":1},{"a":2}]', '[{"a":2},{"a":1}]', 'exact', false],
  ['how often a row is there', '[{"a":1},{"a":1}]', '[{"a":1},{"a":2}]', 'any', false],
  ['the order of keys', '[{"a":1,"b":2}]', '[{"b":2,"a":1}]', 'any', false],
  ['an absent key of the row', '[{"a":1,"b":null}]', '[{"a":1}]', 'any', false],
  ['a null below, where strict', '[{"a":{"b":null}}]', '[{"a":{}}]', 'exact', true],
  ['a null that is a value', '[{"a":[null]}]', '[{"a":[0]}]', 'exact', false],
  ['a longer array', '[{"a":[1,null]}]', '[{"a":[1]}]', 'exact', false],
  ['text and number', '[{"a":"1"}]', '[{"a":1}]', 'exact', false],
  ['a missing row', '[]', '[{"a":1}]', 'any', false],
] as const;

const rows = (text: string) => parseJson(text) as readonly Json[];

test.each(same)('%s are the same', (_what, actual, expected, order, strict) => {
  expect(differenceOfRows(rows(actual), rows(expected), { order, strict })).toBeUndefined();
});

test.each(different)('%s makes a difference', (_what, actual, expected, order, strict) => {
  expect(differenceOfRows(rows(actual), rows(expected), { order, strict })).toBeDefined();
});

test('the tolerance says how much numbers may differ', () => {
  const [actual, expected] = [rows('[{"a":0.3001}]'), rows('[{"a":0.3}]')];
  const differenceWithin = (tolerance: number) =>
    differenceOfRows(actual, expected, { order: 'exact', strict: true, tolerance });
  expect(differenceWithin(0.001)).toBeUndefined();
  expect(differenceWithin(0)).toBeDefined();
});
