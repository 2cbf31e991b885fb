import { expect, test } from 'vitest';
import { callersQueries, mutate } from '../../support/mutate.js';
import { randomFrom } from '../../support/random.js';
import { expectSame, parsed } from '../../support/round-trip.js';
import { soak } from '../../support/soak.js';

const rounds = soak(5_000, 300);

test(`${rounds} mutated queries: parsing, printing and parsing again gives the same tree`, () => {
  const random = randomFrom(7);
  let printed = 0;
  while (printed < rounds) {
    const tree = parsed(mutate(callersQueries[random() % callersQueries.length] ?? '', random));
    if (tree === undefined) continue;
    expectSame(tree);
    printed++;
  }
  expect(printed).toBe(rounds);
});
