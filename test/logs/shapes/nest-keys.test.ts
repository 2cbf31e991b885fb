import { expect, test } from 'vitest';
import { createNameReader, recordMembers } from '../../../src/logs/shapes/member.js';
import { nestKeys } from '../../../src/logs/shapes/nest-keys.js';

function nested(text: string): string {
  const readName = createNameReader();
  const members = nestKeys(recordMembers(text, readName), readName);
  return `{${members.map(({ key, raw }) => `${key}:${raw}`).join(',')}}`;
}

test.each([
  ['a path', '{"a.b.c":1}', '{"a":{"b":{"c":1}}}'],
  ['two paths', '{"a.b":1,"x":2,"a.c":3}', '{"x":2,"a":{"b":1,"c":3}}'],
  ['a path into a record', '{"log.level":"info","log":{"a":1}}', '{"log":{"a":1,"level":"info"}}'],
  [
    'a path deeper down',
    '{"a":[{"b.c":1},2,[{"d.e":3}]]}',
    '{"a":[{"b":{"c":1}},2,[{"d":{"e":3}}]]}',
  ],
  ['paths in the value of a path', '{"a.b":{"c.d":1}}', '{"a":{"b":{"c":{"d":1}}}}'],
  [
    'numbers as they are written',
    '{"a.b":1.10,"c":9007199254740993}',
    '{"c":9007199254740993,"a":{"b":1.10}}',
  ],
  [
    'a path in other letter case',
    '{"user":{"id":1},"User.name":"x"}',
    '{"user":{"id":1,"name":"x"}}',
  ],
  ['a path beside null', '{"log":null,"log.level":"info"}', '{"log":{"level":"info"}}'],
  [
    'names in several letter cases, which stay',
    '{"A":1,"a":2,"b.c":3}',
    '{"A":1,"a":2,"b":{"c":3}}',
  ],
])('%s becomes records', (_what, text, expected) => {
  expect(nested(text)).toBe(expected);
});

test.each([
  ['through a value', '{"a":1,"a.b":2}'],
  ['through a list', '{"a":[{"b":1}],"a.b":2}'],
  ['to a member that is there', '{"a":{"b":1},"a.b":2}'],
  ['of an empty name', '{"a..b":1,".a":2,"a.":3}'],
  ['of a file', '{"app.kubernetes.io/name":1,"a.b c":2}'],
])('a name that would be a path %s stays', (_what, text) => {
  expect(nested(text)).toBe(text);
});

test('addresses stay whole, so that they are recognized as such', () => {
  const text = '{"ada@example.com":1,"10.0.0.1":2,"ada%40example.com":3,"ada\\u0040example.com":4}';
  expect(nested(text)).toBe(text);
});

test('a path from a value to itself counts once', () => {
  expect(nested('{"a.b":1,"a.b":2}')).toBe('{"a":{"b":1},"a.b":2}');
});

test('a record that would be nested too deeply stays', () => {
  const path = 'a.'.repeat(30);
  const deep = `{"${path}a":{"${path}a":1}}`;
  expect(nested(deep)).toBe(deep);
  const long = `{"${'a.'.repeat(100_000)}a":1}`;
  expect(nested(long)).toBe(long);
});

test('the cost is linear in the bytes, whatever a string holds', () => {
  const text = `{"a":"${'.'.repeat(500_000)}","b":"${'.\\"'.repeat(200_000)}","c":{"d.e":1}}`;
  expect(nested(text)).toContain('"c":{"d":{"e":1}}');
});
