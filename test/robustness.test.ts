import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readEndpoints } from '../src/endpoint/catalog.js';
import { ServiceError } from '../src/errors.js';
import { createCompiler } from '../src/query/compile.js';
import { readDeclaredSources } from '../src/source/declared.js';
import { root, shared } from './support/paths.js';
import { randomFrom } from './support/random.js';

// Queries with a token or a character too many, too few or elsewhere: each compiles, or is refused in
// words of ours, and soon. The seed makes a run repeatable.
const compiler = createCompiler(readDeclaredSources(join(root, 'sql/sources')));
const { endpoints } = readEndpoints(join(root, 'sql/endpoints'), compiler);
const [endpoint] = endpoints;

const texts = ['client.json', 'dialect.json'].flatMap((name) => {
  const suite = JSON.parse(readFileSync(join(shared, 'cases', name), 'utf8'));
  return (suite.cases as readonly { params: { sql?: string } }[]).flatMap(({ params }) =>
    params.sql === undefined ? [] : [params.sql],
  );
});

const tokens = texts.flatMap((text) => text.match(/\w+|\s+|[^\w\s]+/g) ?? []);

type Mutation = (parts: readonly string[], at: number, other: string) => readonly string[];

const mutations: readonly Mutation[] = [
  (parts, at) => parts.toSpliced(at, 1),
  (parts, at, other) => parts.toSpliced(at, 0, other),
  (parts, at, other) => parts.toSpliced(at, 1, other),
  (parts, at) => parts.toSpliced(at, 0, parts[at] ?? ''),
  (parts, at) => parts.slice(0, at),
  (parts, at) => parts.toSpliced(at, 1, (parts[at] ?? '').slice(1)),
  (parts, at) => parts.toSpliced(at, 2, parts[at + 1] ?? '', parts[at] ?? ''),
  (parts, at, other) => [...parts.slice(at), other, ...parts.slice(0, at)],
];

function mutate(text: string, random: () => number): string {
  const times = 1 + (random() % 3);
  let parts: readonly string[] = text.match(/\w+|\s+|[^\w\s]/g) ?? [];
  for (let i = 0; i < times; i++) {
    const mutation = mutations[random() % mutations.length];
    const other = tokens[random() % tokens.length] ?? '';
    parts = mutation?.(parts, random() % (parts.length + 1), other) ?? parts;
  }
  return parts.join('');
}

test('20,000 mutated queries', () => {
  if (endpoint === undefined) throw new Error('no endpoint');
  const random = randomFrom(2026);
  const slow: string[] = [];
  const strange: string[] = [];
  let compiled = 0;
  for (let round = 0; round < 20_000; round++) {
    const text = mutate(texts[random() % texts.length] ?? '', random);
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
  // A busy machine may stop any process for a while: one that is slow is slow again.
  const again = slow.filter((text) => timeOf(text) > 50);
  expect(again).toEqual([]);
  expect(compiled).toBeGreaterThan(1_000);
}, 120_000);

function timeOf(text: string): number {
  const start = performance.now();
  try {
    if (endpoint) compiler.compile(endpoint, { language: 'sql', text: `${text} ` });
  } catch {
    // Refused is fine: it is the time that counts.
  }
  return performance.now() - start;
}
