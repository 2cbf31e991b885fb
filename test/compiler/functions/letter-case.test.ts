import { describe, expect, test } from 'vitest';
import { letterCases } from '../../../src/compiler/functions/letter-case.js';
import { normalizedFold } from '../../../src/values/functions/normalize.js';

/** The letters of the scripts in which a letter becomes several, and of those around them. */
const letters = [...ranges([0, 0x2fff], [0x3000, 0xd7ff], [0xf900, 0xffff])];

function* ranges(...bounds: readonly (readonly [number, number])[]): Generator<string> {
  for (const [first, last] of bounds) {
    for (let code = first; code <= last; code++) yield String.fromCodePoint(code);
  }
}

describe('the letters that DuckDB does not map', () => {
  test('in upper case are those that become several', () => {
    const special = new RegExp(letterCases.upper.special, 'u');
    const wrong = letters.filter((one) => special.test(one) !== one.toUpperCase().length > 1);
    expect(wrong).toEqual([]);
  });

  test('in lower case are those that become several, and the sigma', () => {
    const special = new RegExp(letterCases.lower.special, 'u');
    const isSpecial = (one: string) => one.toLowerCase().length > 1 || one === 'Σ';
    expect(letters.filter((one) => special.test(one) !== isSpecial(one))).toEqual([]);
  });

  test('without case are all that do not stay one normal letter', () => {
    const special = new RegExp(letterCases.fold.special, 'u');
    const isPlain = (one: string) =>
      one.normalize('NFKC') === one && normalizedFold(one, 'NFKC') === one.toLowerCase();
    expect(letters.filter((one) => !special.test(one) && !isPlain(one))).toEqual([]);
  });
});
