import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createCompiler } from '../../src/compiler/compile.js';
import { readEndpoints } from '../../src/endpoint/catalog.js';
import { ServiceError } from '../../src/errors/errors.js';
import { cpuMsOf } from '../support/cpu-time.js';
import { readDeclaredSources } from '../support/declared-sources.js';
import { callersQueries, mutate } from '../support/mutate.js';
import { nightly } from '../support/nightly.js';
import { root } from '../support/paths.js';
import { randomFrom } from '../support/random.js';

// Mutated queries, with a token or character added, removed or moved: each compiles or is refused with one
// of our messages, quickly. The seed makes a run repeatable.
const compiler = createCompiler(readDeclaredSources(join(root, 'sql/sources')));
const { endpoints } = readEndpoints([join(root, 'sql/endpoints')], compiler);
const [endpoint] = endpoints;

const rounds = nightly(20_000, 400);

test(`${rounds} mutated queries`, () => {
  if (endpoint === undefined) throw new Error('no endpoint');
  const random = randomFrom(2026);
  const slow: string[] = [];
  const strange: string[] = [];
  let compiled = 0;
  for (let round = 0; round < rounds; round++) {
    const text = mutate(callersQueries[random() % callersQueries.length] ?? '', random);
    const start = performance.now();
    try {
      compiler.compile(endpoint, { language: 'sql', text });
      compiled++;
    } catch (error) {
      if (!(error instanceof ServiceError)) strange.push(`${String(error)}: ${text}`);
    }
    if (performance.now() - start > 50) slow.push(text);
  }
  expect(strange.slice(0, 5)).toEqual([]);
  // A busy machine may pause any process, so slow queries are measured again, in CPU time.
  expect(slow.filter((text) => cpuMsOf(() => compileUncached(text)) > 50)).toEqual([]);
  expect(compiled).toBeGreaterThan(rounds / 20);
});

function compileUncached(text: string): void {
  try {
    if (endpoint) compiler.compile(endpoint, { language: 'sql', text: `${text} ` });
  } catch {
    // A refusal is fine: only the time is measured.
  }
}
