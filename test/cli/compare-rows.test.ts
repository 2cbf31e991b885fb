import { expect, test } from 'vitest';
import { compareRows, printRows } from '../../src/cli/compare-rows.js';

test.each([
  ['members in another order', '[{"b":1,"a":{"d":2,"c":3}}]', '[{"a":{"c":3,"d":2},"b":1}]'],
  ['blanks and line breaks', '[ {"a" : [ 1,\n 2 ]}\n]', '[{"a":[1,2]}]'],
  ['a whole number with a fraction', '[{"a":1.0}]', '[{"a":1}]'],
  ['a number with an exponent', '[{"a":1.5e3}]', '[{"a":1500}]'],
  ['escapes', '[{"a":"\\u0061\\/"}]', '[{"a":"a/"}]'],
])('%s: the rows are the same', (_name, one, other) => {
  expect(printRows(one)).toEqual(printRows(other));
});

test.each([
  ['the last digit of a long integer', '[{"a":9007199254740993}]', '[{"a":9007199254740992}]'],
  ['a string of digits', '[{"a":"1"}]', '[{"a":1}]'],
  ['NULL and no column', '[{"a":null}]', '[{}]'],
  ['elements in another order', '[{"a":[1,2]}]', '[{"a":[2,1]}]'],
])('%s: the rows differ', (_name, one, other) => {
  expect(printRows(one)).not.toEqual(printRows(other));
});

const cases: readonly (readonly [expected: string, actual: string, lines: string])[] = [
  ['', '', ''],
  ['a b c', 'a b c', ''],
  ['a b c', 'a c', '-b'],
  ['a c', 'a b c', '+b'],
  ['a b c', 'a x c', '-b +x'],
  ['', 'a b', '+a +b'],
  ['a b', '', '-a -b'],
  ['a b', 'b a', '+b -b'],
  ['a a', 'a', '-a'],
  ['a', 'a a', '+a'],
  ['a b c d', 'x a d y', '+x -b -c +y'],
];
test.each(cases)('%j is expected, %j comes: %j', (expected, actual, lines) => {
  const rows = (text: string) => text.split(' ').filter(Boolean);
  const found = compareRows(rows(expected), rows(actual));
  expect(found.map((line) => line.trim().replace(' ', '')).join(' ')).toBe(lines);
});
