import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './support/paths.js';

/** What the files of a room may import of other rooms, besides errors: imports go one way. */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  main: [
    'cli',
    'compile-pool',
    'config',
    'endpoint',
    'engine',
    'http',
    'query',
    'result',
    'run-endpoint',
    'source',
  ],
  cli: ['config', 'endpoint', 'engine', 'query', 'result', 'run-endpoint', 'source'],
  child: ['compile-pool', 'engine', 'source'],
  'compile-pool': ['engine', 'query'],
  http: ['endpoint', 'run-endpoint'],
  'run-endpoint': ['endpoint', 'engine', 'query', 'result'],
  endpoint: ['flights', 'query'],
  result: ['flights'],
  engine: ['row-ids'],
  query: ['lql', 'row-ids', 'source'],
  source: ['engine'],
  config: ['endpoint'],
};

/** What they may import as types only. */
const mayKnow: Readonly<Record<string, readonly string[]>> = {
  'compile-pool': ['source'],
  http: ['engine', 'query'],
  endpoint: ['engine'],
  result: ['engine'],
  engine: ['source'],
  lql: ['query', 'source'],
};

/** Files beside the rooms that belong to one. */
const roomOfFile: Readonly<Record<string, string>> = {
  'query-fault.ts': 'errors',
  'serving.ts': 'run-endpoint',
  'setting-kinds.ts': 'config',
  'settings.ts': 'config',
  'token-file.ts': 'config',
  'tokens.ts': 'config',
};

const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, text: readFileSync(join(root, 'src', path), 'utf8') }));

const imported = /^(?:im|ex)port (type )?(?:[^;']*? from )?'([^']+)'|\bimport\('([^']+)'/gm;
const imports = files.flatMap(({ path, text }) =>
  [...text.matchAll(imported)].map(([, type, name, lazy]) => ({
    path,
    name: name ?? lazy ?? '',
    typeOnly: type !== undefined,
  })),
);

test.each(imports.filter(({ name }) => name.startsWith('.')))(
  '$path may import $name',
  ({ path, name, typeOnly }) => {
    const room = roomOf(path);
    const known = typeOnly ? (mayKnow[room] ?? []) : [];
    expect([room, 'errors', ...(mayImport[room] ?? []), ...known]).toContain(
      roomOf(join(dirname(path), name.replace(/\.js$/, '.ts'))),
    );
  },
);

test.each([
  ['DuckDB', /from '@duckdb\//, /^(engine\/|source\/load)/],
  ['Hono', /from '(hono|@hono\/)/, /^(http\/|main\.ts$)/],
  ['the environment', /\bprocess\.env\b/, /^config\.ts$/],
])('only its rooms touch %s', (_what, pattern, where) => {
  const users = files.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
  expect(users.length).toBeGreaterThan(0);
  expect(users.filter((path) => !where.test(path))).toEqual([]);
});

test('the engine is required, and only its types are imported', () => {
  const users = files.filter(({ text }) => /^import (?!type )[^;]*from '@duckdb\//m.test(text));
  expect(users.map(({ path }) => path)).toEqual([]);
});

test.each(files)('$path has a name for each export and hands on none of others', ({ text }) => {
  expect(text).not.toMatch(/^export (default\b|\*|(type )?\{[^}]*\} from)/m);
});

function roomOf(path: string): string {
  return roomOfFile[path] ?? path.split('/')[0]?.replace(/\.ts$/, '') ?? path;
}
