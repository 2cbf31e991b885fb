import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { callersQueries } from './mutate.js';
import { acceptance, root } from './paths.js';

function readTexts(folder: string, end = ''): readonly string[] {
  return readdirSync(join(root, folder))
    .filter((file) => !file.endsWith('.ts') && file.endsWith(end))
    .map((file) => readFileSync(join(root, folder, file), 'utf8'));
}

function firstsOf(folder: string): readonly string[] {
  return readTexts(folder).flatMap(firstsIn);
}

function firstsIn(text: string): readonly string[] {
  return (JSON.parse(text) as readonly (readonly [string])[]).map(([first]) => first);
}

/** The queries that callers of the acceptance cases send in a parameter: `sql` or `lql`. */
export function sentTexts(name: 'sql' | 'lql'): readonly string[] {
  const files = ['client', 'dialect', 'sandbox', 'lql', 'pii'].map((file) =>
    join(acceptance, 'cases', `${file}.json`),
  );
  return [...files, join(root, 'test/acceptance/cases/own-lql.json')].flatMap((file) => {
    const suite: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const { cases } = suite as {
      readonly cases: readonly { readonly params: Readonly<Record<string, string>> }[];
    };
    return cases.flatMap(({ params }) => params[name] ?? []);
  });
}

const asQuery = (text: string) => (/^(?:select|with)\b/i.test(text) ? text : `select ${text} as x`);

/** Every text in SQL that the other tests read, by where it comes from. */
export function queryTexts(): Readonly<Record<string, readonly string[]>> {
  const traps = JSON.parse(readFileSync(join(acceptance, 'cases/traps.json'), 'utf8')) as {
    readonly probes: readonly { readonly sql: string }[];
  };
  return {
    'client.json and dialect.json': callersQueries,
    'traps.json': traps.probes.map(({ sql }) => sql),
    'the golden pairs': readTexts('test/compiler/golden').flatMap((text) =>
      [...text.matchAll(/^-- .*\n([\s\S]*?)\n;\n[\s\S]*?\n;$/gm)].map(([, sql = '']) => sql),
    ),
    'test/compiler/queries': firstsOf('test/compiler/queries'),
    'test/compiler/functions': firstsOf('test/compiler/functions').map(asQuery),
    'pipe syntax': firstsIn(readFileSync(join(root, 'test/compiler/pipe-queries.json'), 'utf8')),
    'the stored endpoints': readTexts('sql/endpoints', '.sql'),
  };
}
