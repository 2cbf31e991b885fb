import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from '../src/query/parse.js';
import { printGoogleSql } from '../src/query/print-googlesql.js';
import type { Query } from '../src/query/tree.js';
import { callersQueries, mutate } from './support/mutate.js';
import { root, shared } from './support/paths.js';
import { randomFrom } from './support/random.js';

// What the parser takes is printed as text of which it makes the same tree.

function parsed(text: string): Query | undefined {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}

/** The tree without the offsets of its nodes. */
function shape(tree: Query): unknown {
  return JSON.parse(JSON.stringify(tree, (key, value) => (key === 'at' ? undefined : value)));
}

function expectSame(tree: Query): void {
  const printed = printGoogleSql(tree);
  expect(shape(parse(printed)), printed).toEqual(shape(tree));
  expect(printGoogleSql(parse(printed))).toBe(printed);
}

function readTexts(folder: string): readonly string[] {
  return readdirSync(join(root, folder)).map((file) =>
    readFileSync(join(root, folder, file), 'utf8'),
  );
}

function firstsOf(folder: string): readonly string[] {
  return readTexts(folder).flatMap((text) =>
    (JSON.parse(text) as readonly (readonly [string])[]).map(([first]) => first),
  );
}

const traps = JSON.parse(readFileSync(join(shared, 'cases/traps.json'), 'utf8')) as {
  readonly probes: readonly { readonly sql: string }[];
};

const asQuery = (text: string) => (/^(?:select|with)\b/i.test(text) ? text : `select ${text} as x`);

const sets = {
  'client.json and dialect.json': callersQueries,
  'traps.json': traps.probes.map(({ sql }) => sql),
  'the golden pairs': readTexts('test/golden').flatMap((text) =>
    [...text.matchAll(/^-- .*\n([\s\S]*?)\n;\n[\s\S]*?\n;$/gm)].map(([, sql = '']) => sql),
  ),
  'test/queries': firstsOf('test/queries'),
  'test/functions': firstsOf('test/functions').map(asQuery),
  'the stored endpoints': readTexts('sql/endpoints'),
};

describe('every query that parses is printed as it was meant', () => {
  test.each(Object.entries(sets))('%s', (_, texts) => {
    const trees = texts.map(parsed).filter((tree) => tree !== undefined);
    // Some stand there to be refused.
    expect(trees.length).toBeGreaterThan(texts.length * 0.9);
    for (const tree of trees) expectSame(tree);
  });

  test('2,000 mutated queries', () => {
    const random = randomFrom(7);
    let printed = 0;
    while (printed < 2_000) {
      const tree = parsed(mutate(callersQueries[random() % callersQueries.length] ?? '', random));
      if (tree === undefined) continue;
      expectSame(tree);
      printed++;
    }
  }, 60_000);
});
