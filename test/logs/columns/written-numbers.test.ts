import { expect, test } from 'vitest';
import { createQuoter, type TextFields } from '../../../src/logs/columns/written-numbers.js';

const cases: readonly (readonly [string, TextFields['at'], string])[] = [
  ['{"a":1.10,"b":1.10}', { a: 'number' }, '{"a":"1.10","b":1.10}'],
  [
    '{ "a" : -1E+3 ,"b":[-0,2,],}',
    { a: 'number', b: 'numbers' },
    '{ "a" : "-1E+3" ,"b":["-0","2",],}',
  ],
  ['{"a":"1.10","b":"a\\":2.0","c":null}', { a: 'number', b: 'value', c: 'value' }, ''],
  ['{"a":[1.10],"b":{"c":1.10},"c":NaN}', { a: 'number', b: 'number', c: 'value' }, ''],
  ['{"a":[ 1.10 , "\\u00e9\\n"]}', { a: 'value' }, '{"a":"[1.10,\\"é\\\\n\\"]"}'],
  ['{"a":[[1.10],2.0]}', { a: 'numbers' }, '{"a":[[1.10],"2.0"]}'],
  [
    '{"a":[{"b":1.0},{"b":2.0,"c":3.0}]}',
    { a: { at: { b: 'number' } } },
    '{"a":[{"b":"1.0"},{"b":"2.0","c":3.0}]}',
  ],
  [
    '{"\\u0061":1.0,"A":1.0,"__proto__":1.0}',
    { a: 'number' },
    '{"\\u0061":"1.0","A":1.0,"__proto__":1.0}',
  ],
  ['{"a":{"b":1.0}}', { b: 'number' }, ''],
];

test.each(cases)('%s with %j', (json, at, expected) => {
  expect(createQuoter({ at })(json)).toBe(expected || json);
});

test.each([
  [
    '{"a":1.10, "b" : [ 1.10 , {}],"":null,"\\u0000":"x"}',
    '{"_other_fields":"{\\"b\\":[1.10,{}],\\"\\\\u0000\\":\\"x\\"}","a":"1.10", "":null,}',
  ],
  [
    '{ "b":1 , "c": 2.0,"a":1.10,"d":"x, }"}',
    '{"_other_fields":"{\\"b\\":1,\\"c\\":2.0,\\"d\\":\\"x, }\\"}", "a":"1.10",}',
  ],
  [
    '{"b":{"a":1.10},"a":1.10,"b":2,}',
    '{"_other_fields":"{\\"b\\":{\\"a\\":1.10},\\"b\\":2}","a":"1.10",}',
  ],
  ['{"_other_fields":1}', '{"_other_fields":"{\\"_other_fields\\":1}",}'],
  ['{"a":null,"b":null}', '{"a":null,"b":null}'],
  ['[{"b":1},{"a":1}]', '[{"_other_fields":"{\\"b\\":1}",},{"a":"1"}]'],
])('fields of %s without types become one text, the first of their record', (json, expected) => {
  expect(createQuoter({ at: { a: 'number' }, hasOthers: true })(json)).toBe(expected);
});
