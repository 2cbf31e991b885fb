import { describe, expect, test } from 'vitest';
import { callersQueries, mutate } from '../../support/mutate.js';
import { nightly, sample } from '../../support/nightly.js';
import { queryTexts } from '../../support/query-texts.js';
import { randomFrom } from '../../support/random.js';
import { expectSame, parsed } from '../../support/round-trip.js';

/** In groups, so that no test is slow on a busy machine. */
const sets = Object.entries(queryTexts()).flatMap(([name, texts]) =>
  Array.from({ length: Math.ceil(texts.length / 500) }, (_, i) => {
    return [`${name}, ${i + 1}`, texts.slice(500 * i, 500 * (i + 1))] as const;
  }),
);

describe('parsing, printing and parsing again gives the same tree', () => {
  test.each(sets)('%s', (_, texts) => {
    const trees = sample(texts, 8)
      .map(parsed)
      .filter((tree) => tree !== undefined);
    // Some of the queries are invalid on purpose.
    expect(trees.length).toBeGreaterThan(sample(texts, 8).length * 0.9);
    for (const tree of trees) expectSame(tree);
  });
});

const rounds = nightly(5_000, 300);

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
