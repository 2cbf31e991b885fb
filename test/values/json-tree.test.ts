import { describe, expect, test } from 'vitest';
import { parseTree, printTree } from '../../src/values/json-tree.js';

const rewrite = (text: string) => printTree(parseTree(text));

describe('a JSON text', () => {
  test.each([
    ['keeps the digits of numbers', '[1.10,1e400,-0,12345678901234567890]', undefined],
    ['keeps escapes in strings', '["\\u0041\\/\\"]},:[{","\\\\"]', undefined],
    ['loses blanks', ' { "a" : [ 1 , { } , [ ] ] ,\n"b" : null } ', '{"a":[1,{},[]],"b":null}'],
    [
      'has its members sorted by code point',
      '{"\ue000":1,"😀":2,"b":3,"":4}',
      '{"":4,"b":3,"\ue000":1,"😀":2}',
    ],
    ['keeps the first of members with one name', '{"a":1,"\\u0061":2}', '{"a":1}'],
    ['may have any name', '{"__proto__":1,"a\\"b":2}', '{"__proto__":1,"a\\"b":2}'],
    ['may be a scalar', ' "a" ', '"a"'],
  ])('%s', (_, text, expected = text) => {
    expect(rewrite(text)).toBe(expected);
  });

  test('may be nested as deep as in BigQuery, and no deeper', () => {
    const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
    expect(rewrite(nested(500))).toBe(nested(500));
    expect(() => rewrite(nested(501))).toThrow('JSON is nested deeper than 500 levels');
    expect(() => rewrite(nested(100_000))).toThrow('JSON is nested deeper than 500 levels');
    expect(() => printTree([parseTree(nested(500))])).toThrow(
      'JSON is nested deeper than 500 levels',
    );
  });

  test('may have a string of 10 million characters', () => {
    const text = JSON.stringify({ a: '"'.repeat(5_000_000) });
    expect(rewrite(text) === text).toBe(true);
  });
});
