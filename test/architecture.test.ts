import { describe, expect, test } from 'vitest';
import {
  sourceFiles as files,
  foldersImportedBy,
  importsOf,
  sourceFolders,
} from './support/source-tree.js';

/**
 * The folders that each folder of `src` may import, types included. A folder imports only what is
 * listed above it, so imports between folders go one way.
 */
const mayImport: Readonly<Record<string, readonly string[]>> = {
  types: [],
  errors: [],
  common: ['errors'],
  process: ['common', 'errors'],
  formats: ['common', 'errors', 'types'],
  'compiler/syntax': ['errors'],
  'compiler/bound': ['common', 'compiler/syntax', 'errors', 'types'],
  'compiler/duckdb-sql': ['common', 'types'],
  values: ['common', 'compiler/duckdb-sql', 'types'],
  'compiler/lql': ['compiler/syntax', 'errors', 'types', 'values'],
  'compiler/functions': [
    'common',
    'compiler/bound',
    'compiler/duckdb-sql',
    'compiler/syntax',
    'errors',
    'types',
  ],
  'compiler/sandbox': ['compiler/functions', 'compiler/syntax', 'errors', 'types'],
  'compiler/resolve': [
    'compiler/bound',
    'compiler/functions',
    'compiler/syntax',
    'errors',
    'types',
  ],
  'compiler/rewrite': ['compiler/bound', 'compiler/functions', 'types'],
  'compiler/lower': [
    'compiler/bound',
    'compiler/duckdb-sql',
    'compiler/functions',
    'errors',
    'types',
  ],
  'compiler/duckdb-sql/passes': ['common', 'compiler/duckdb-sql', 'types'],
  'compiler/googlesql': [
    'compiler/bound',
    'compiler/functions',
    'compiler/rewrite',
    'compiler/syntax',
    'types',
  ],
  compiler: [
    'common',
    'compiler/bound',
    'compiler/duckdb-sql',
    'compiler/duckdb-sql/passes',
    'compiler/googlesql',
    'compiler/lower',
    'compiler/lql',
    'compiler/resolve',
    'compiler/rewrite',
    'compiler/sandbox',
    'compiler/syntax',
    'errors',
    'types',
  ],
  'compiler/pool': ['common', 'compiler', 'errors', 'process', 'types'],
  'logs/shapes': ['common', 'values'],
  'logs/files': ['common', 'errors', 'logs/shapes'],
  'logs/columns': [
    ...['common', 'compiler/duckdb-sql', 'errors', 'logs/files', 'logs/shapes', 'types', 'values'],
  ],
  'logs/scan': ['logs/columns', 'logs/files'],
  'logs/parquet': ['common', 'logs/files', 'types'],
  'logs/load': [
    'common',
    'errors',
    'logs/columns',
    'logs/files',
    'logs/parquet',
    'logs/scan',
    'process',
    'types',
    'values',
    'logs/shapes',
  ],
  'logs/store': ['common', 'logs/columns', 'logs/files', 'logs/load', 'types'],
  'logs/refresh': ['common', 'logs/columns', 'logs/files', 'logs/load', 'logs/store', 'types'],
  engine: ['common', 'errors', 'formats'],
  'engine/verify': ['common', 'engine'],
  'engine/functions': ['common'],
  'engine/duckdb': [
    'common',
    'engine',
    'engine/functions',
    'engine/verify',
    'errors',
    'types',
    'values',
  ],
  'engine/pool': ['common', 'engine', 'engine/duckdb', 'errors', 'process'],
  'engine/bigquery': ['common', 'engine', 'errors', 'formats', 'types'],
  endpoint: [
    'common',
    'compiler',
    'compiler/rewrite',
    'compiler/syntax',
    'engine',
    'errors',
    'formats',
  ],
  cache: ['common', 'engine'],
  'generate/world': [],
  config: ['common', 'endpoint', 'errors'],
  generate: ['common', 'config', 'errors', 'generate/world'],
  service: [
    'cache',
    'common',
    'compiler',
    'compiler/functions',
    'config',
    'endpoint',
    'engine',
    'engine/bigquery',
    'engine/pool',
    'errors',
    'formats',
    'logs/columns',
    'logs/files',
    'logs/load',
    'logs/refresh',
    'logs/store',
    'values',
    'types',
    'logs/shapes',
  ],
  mcp: ['common', 'compiler/syntax', 'endpoint', 'errors', 'formats', 'service', 'types'],
  http: [
    ...['cache', 'common', 'config', 'endpoint', 'engine', 'errors', 'formats', 'mcp', 'service'],
    'types',
  ],
  testing: [
    'common',
    'compiler',
    'config',
    'endpoint',
    'engine',
    'engine/duckdb',
    'engine/pool',
    'errors',
    'http',
    'logs/load',
    'logs/store',
    'process',
    'service',
  ],
  cli: [
    'common',
    'compiler',
    'config',
    'endpoint',
    'engine',
    'engine/bigquery',
    'engine/duckdb',
    'errors',
    'formats',
    'generate',
    'logs/store',
    'service',
    'testing',
    'types',
  ],
  // The page, which runs in a browser: it speaks to the service over HTTP alone.
  'explorer/model': ['compiler/lql', 'compiler/syntax', 'endpoint', 'types', 'values'],
  'explorer/client': ['explorer/model', 'types'],
  'explorer/app': ['explorer/client', 'explorer/model', 'types'],
  'explorer/editor': ['compiler/syntax', 'explorer/app', 'explorer/model'],
  'explorer/views': [
    'explorer/app',
    'explorer/client',
    'explorer/editor',
    'explorer/model',
    'types',
  ],
  explorer: ['explorer/app', 'explorer/views'],
  // main.ts with server.ts, and child.ts: the two programs
  '.': [
    'cli',
    'common',
    'compiler/pool',
    'config',
    'endpoint',
    'engine',
    'engine/pool',
    'errors',
    'http',
    'logs/load',
    'mcp',
    'service',
    'testing',
  ],
};

describe('folders', () => {
  test('each folder is in the table, and is listed below all that it imports', () => {
    const folders = Object.keys(mayImport);
    expect(sourceFolders).toEqual(folders.sort());
    for (const [folder, others] of Object.entries(mayImport)) {
      const above = Object.keys(mayImport).slice(0, Object.keys(mayImport).indexOf(folder));
      expect(others.filter((other) => !above.includes(other))).toEqual([]);
    }
  });

  test.each(Object.entries(mayImport))('%s imports what it may and no more', (folder, allowed) => {
    expect(foldersImportedBy(folder)).toEqual([...allowed].sort());
  });
});

test('no file imports itself through others, types included', () => {
  expect(files.flatMap(({ path }) => circleFrom(path) ?? [])).toEqual([]);
});

test.each([
  ['DuckDB', /from '@duckdb\//, /^(common\/duckdb-api|engine\/(duckdb|verify)\/|logs\/)/],
  ['Hono', /from '(hono|@hono\/)/, /^http\//],
  ['the environment', /\bprocess\.env\b/, /^config\/config\.ts$/],
])('only its rooms touch %s', (_what, pattern, where) => {
  const users = files.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
  expect(users.length).toBeGreaterThan(0);
  expect(users.filter((path) => !where.test(path))).toEqual([]);
});

test('one file imports the engine, and the others only its types', () => {
  const users = files.filter(({ text }) => /^import (?!type )[^;]*from '@duckdb\//m.test(text));
  expect(users.map(({ path }) => path)).toEqual(['common/duckdb-api.ts']);
});

test.each(files)('$path has a name for each export and re-exports nothing', ({ text }) => {
  expect(text).not.toMatch(/^export (default\b|\*|(type )?\{[^}]*\} from)/m);
});

/** A chain of imports from a file back to itself. */
function circleFrom(start: string): readonly string[] | undefined {
  const seen = new Set<string>();
  const open: (readonly string[])[] = [[start]];
  for (let chain = open.pop(); chain !== undefined; chain = open.pop()) {
    for (const next of importsOf.get(chain.at(-1) ?? '') ?? []) {
      if (next === start) return [...chain, start];
      if (!seen.has(next)) open.push([...chain, next]);
      seen.add(next);
    }
  }
  return undefined;
}
