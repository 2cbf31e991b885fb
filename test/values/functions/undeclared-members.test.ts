import { expect, test } from 'vitest';
import { undeclaredMembers } from '../../../src/values/functions/undeclared-members.js';
import type { FormName, Kinds } from '../../../src/values/member-options.js';

function print(text: string, form: FormName = 'answer', kinds: Kinds = {}): string {
  return undeclaredMembers(text, JSON.stringify({ form, kinds }));
}

test.each([
  ['{}', ''],
  ['{"a":null,"b":[],"c":{"d":null}}', '"c":[{}]'],
  ['{"a":1,"b":null,"c":"x"}', '"a":1,"c":"x"'],
  ['{"a":{"b":{"c":true}}}', '"a":[{"b":[{"c":true}]}]'],
  ['{"a":[{"b":{"c":1}},{"b":null},null]}', '"a":[{"b":[{"c":1}]},{},null]'],
  ['{"a":[1,null],"b":[[],["x"]]}', '"a":[1,null],"b":[[],["x"]]'],
  ['{"a\\"}:":"]}\\\\","b":""}', '"a\\"}:":"]}\\\\","b":""'],
  ['{"constructor":1,"__proto__":{"a":2}}', '"constructor":1,"__proto__":[{"a":2}]'],
])('%s -> %s', (text, members) => {
  expect(print(text)).toBe(members);
});

test('a record without fields is stored as TRUE', () => {
  const text = '{"a":true,"b":[true,null],"c":{"d":true},"e":true}';
  const kinds: Kinds = { a: 'empty', b: 'empty', c: { d: 'empty' } };
  expect(print(text, 'answer', kinds)).toBe('"a":[{}],"b":[{},null],"c":[{"d":[{}]}],"e":true');
});

const numbers =
  '{"i":9007199254740993,"d":1.0,"e":1e300,"w":NaN,"v":-Infinity,"n":1.500000000,"o":9007199254740993.000000000}';

test.each<[FormName, string]>([
  [
    'answer',
    '"i":9007199254740993,"d":1.0,"e":1e300,"w":"NaN","v":"-Infinity","n":"1.5","o":"9007199254740993"',
  ],
  [
    'text',
    '"i":"9007199254740993","d":1,"e":1e+300,"w":"NaN","v":"-Infinity","n":"1.5","o":"9007199254740993"',
  ],
  [
    'value',
    '"i":9007199254740993,"d":1.0,"e":1e+300,"w":"NaN","v":"-Infinity","n":1.5,"o":9007199254740993',
  ],
  [
    'wide value',
    '"i":"9007199254740993","d":1.0,"e":1e+300,"w":"NaN","v":"-Infinity","n":1.5,"o":"9007199254740993"',
  ],
])('numbers as %s', (form, members) => {
  expect(print(numbers, form, { n: 'NUMERIC', o: 'NUMERIC' })).toBe(members);
});

test('only strings are for SEARCH', () => {
  const text = '{"a":"x","b":1,"c":[true,"y"],"d":{"e":NaN},"f":true}';
  expect(print(text, 'strings', { f: 'empty' })).toBe('"a":"x","c":[null,"y"],"d":[{}]');
});

test('only a text has escapes for the separators of lines', () => {
  expect(print('{"a":"\u2028x\u2029"}', 'text')).toBe('"a":"\\u2028x\\u2029"');
  expect(print('{"a":"\u2028"}', 'value')).toBe('"a":"\u2028"');
});
