import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { acceptance } from './paths.js';

/** The queries of the acceptance cases, which callers send. */
export const callersQueries: readonly string[] = ['client.json', 'dialect.json'].flatMap((name) => {
  const suite = JSON.parse(readFileSync(join(acceptance, 'cases', name), 'utf8'));
  return (suite.cases as readonly { params: { sql?: string } }[]).flatMap(({ params }) =>
    params.sql === undefined ? [] : [params.sql],
  );
});

const tokens = callersQueries.flatMap((text) => text.match(/\w+|\s+|[^\w\s]+/g) ?? []);

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

/** A query with a token or a character too many, too few or elsewhere, one to three times. */
export function mutate(text: string, random: () => number): string {
  const times = 1 + (random() % 3);
  let parts: readonly string[] = text.match(/\w+|\s+|[^\w\s]/g) ?? [];
  for (let i = 0; i < times; i++) {
    const mutation = mutations[random() % mutations.length];
    const other = tokens[random() % tokens.length] ?? '';
    parts = mutation?.(parts, random() % (parts.length + 1), other) ?? parts;
  }
  return parts.join('');
}
