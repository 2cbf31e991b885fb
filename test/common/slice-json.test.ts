import { expect, test } from 'vitest';
import { sliceJson } from '../../src/common/slice-json.js';

test.each([
  ['{}', []],
  ['[]', []],
  [' [ 1 , 2.50 ] ', ['1', '2.50']],
  ['{"n":9007199254740993}', ['n=9007199254740993']],
  ['{"a":1,"b":[1,{"c":2}],"d":{"e":"}"}}', ['a=1', 'b=[1,{"c":2}]', 'd={"e":"}"}']],
  ['{"q\\"x":"a,b\\\\","u":null,"__proto__":true}', ['q"x="a,b\\\\"', 'u=null', '__proto__=true']],
  ['{"":-1e-3}', ['=-1e-3']],
])('%s is split into its members', (text, expected) => {
  const isArray = text.trim().startsWith('[');
  const slices = sliceJson(text).map(({ name, raw }) => (isArray ? raw : `${name}=${raw}`));
  expect(slices).toEqual(expected);
});

test.each(['\\"'.repeat(500_000), 'x'.repeat(1_000_000)])(
  'a string of a megabyte is one member',
  (inner) => {
    expect(sliceJson(`{"a":"${inner}"}`)).toEqual([{ name: 'a', raw: `"${inner}"` }]);
  },
);

test('a deeply nested value is one member', () => {
  const deep = '['.repeat(300_000) + ']'.repeat(300_000);
  expect(sliceJson(`{"a":${deep}}`)).toEqual([{ name: 'a', raw: deep }]);
});
