import { expect, test } from 'vitest';
import { createArraySplitter } from '../../../src/logs/files/split-array.js';

/** The lines of a text that arrives in chunks of a size; undefined if it is no array. */
function split(text: string, size: number): string | undefined {
  const bytes = Buffer.from(text);
  const splitter = createArraySplitter();
  const lines: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += size)
    lines.push(splitter.split(bytes.subarray(at, at + size)));
  return splitter.isArray() ? Buffer.concat(lines).toString() : undefined;
}

test.each([
  ['elements of all kinds', '[{"a":[1,{}]},2,"x",null]', '{"a":[1,{}]}\n2\n"x"\nnull\n'],
  ['brackets and escapes in strings', '["]\\"[,{\\\\",1]', '"]\\"[,{\\\\"\n1\n'],
  ['text of several bytes', '["é☃😀"]', '"é☃😀"\n'],
  ['blanks and line breaks', ' [\n {"a":\n1} , "b\nc"\t]\n', '{"a": 1} \n"b\x01c" \n'],
  ['no elements', '[ ]', ''],
  ['missing elements', '[,1,,]', '!\n1\n!\n!\n'],
  ['several arrays', '[1]\n[2]', '1\n2\n'],
  ['an array without end', '[1', undefined],
  ['an array that something follows', '[1] x', undefined],
])('%s, in chunks of any size', (_what, text, lines) => {
  for (const size of [1, 2, 3, 7, 1_000]) expect(split(text, size)).toBe(lines);
});
