import { expect, test } from 'vitest';
import { firstElements, parseShallow, sliceJson } from '../../src/values/slice-json.js';

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

test.each([
  ['[1,{"n":[2,3]},"a,b"]', 9, ['1', '{"n":[2,3]}', '"a,b"']],
  ['[1,2,3]', 2, ['1', '2']],
  ['{1:2,[]:3,"a":4}', 2, ['2', '3']],
  ['[1,2', 9, ['1']],
  ['[1,{"n":2},{"n"', 9, ['1', '{"n":2}']],
  ['["a","b\\"', 9, ['"a"']],
  ['[]', 9, []],
  ['', 9, []],
])('the first elements of %s, up to %i', (text, max, expected) => {
  expect(firstElements(text, max)).toEqual(expected);
});

test.each([
  ['64 levels', '[{"a":'.repeat(32), '}]'.repeat(32), true],
  ['65 levels', `{"b":${'[{"a":'.repeat(32)}`, `${'}]'.repeat(32)}}`, false],
  ['brackets side by side', '[', `${'[],'.repeat(99)}[]]`, true],
  ['brackets without an end', '['.repeat(65), '', false],
  ['1000 members', `[${'{"a:":1},'.repeat(999)}`, '{"b":2}]', true],
  ['1001 members', `[${'{"a":1},'.repeat(1_000)}`, '{"b":2}]', false],
])('JSON of %s is parsed: %s', (_what, start, end, isParsed) => {
  const text = start + (start.endsWith(':') ? `"\\"${'['.repeat(99)}"` : '') + end;
  if (isParsed) expect(parseShallow(text)).toEqual(JSON.parse(text));
  else expect(() => parseShallow(text)).toThrow(SyntaxError);
});
