import { describe, expect, test } from 'vitest';
import { parseAst } from 'vitest/node';
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
  process: ['errors'],
  values: ['process'],
  'values/functions': ['process', 'values'],
  formats: ['errors', 'types', 'values'],
  'compiler/syntax': ['errors'],
  'compiler/bound': ['compiler/syntax', 'errors', 'types', 'values'],
  'compiler/duckdb-sql': ['process', 'types', 'values'],
  rows: ['compiler/duckdb-sql', 'process', 'types'],
  'compiler/lql': ['compiler/syntax', 'errors', 'types', 'values'],
  'compiler/functions': [
    'compiler/bound',
    'compiler/duckdb-sql',
    'compiler/syntax',
    'errors',
    'types',
    'values',
  ],
  'compiler/sandbox': ['compiler/functions', 'compiler/syntax', 'errors', 'types'],
  'compiler/resolve': [
    'compiler/bound',
    'compiler/functions',
    'compiler/syntax',
    'errors',
    'types',
  ],
  'compiler/rewrite': ['compiler/bound', 'compiler/functions', 'types', 'values'],
  'compiler/lower': [
    'compiler/bound',
    'compiler/duckdb-sql',
    'compiler/functions',
    'errors',
    'types',
  ],
  'compiler/duckdb-sql/passes': ['compiler/duckdb-sql', 'types', 'values'],
  'compiler/googlesql': ['compiler/bound', 'compiler/functions', 'compiler/syntax', 'types'],
  compiler: [
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
    'process',
    'types',
  ],
  'compiler/pool': ['compiler', 'errors', 'process'],
  'bigquery/target': [
    'compiler',
    'compiler/bound',
    'compiler/functions',
    'compiler/googlesql',
    'compiler/rewrite',
    'compiler/syntax',
    'types',
  ],
  'logs/shapes': ['process', 'values'],
  'logs/files': ['errors', 'logs/shapes', 'process', 'values'],
  'logs/columns': [
    'compiler/duckdb-sql',
    'errors',
    'logs/files',
    'logs/shapes',
    'process',
    'types',
    'values',
  ],
  'logs/scan': ['logs/columns', 'logs/files'],
  'logs/parquet': ['logs/files', 'process', 'types'],
  'logs/load': [
    'errors',
    'logs/columns',
    'logs/files',
    'logs/parquet',
    'logs/scan',
    'logs/shapes',
    'process',
    'rows',
    'types',
    'values/functions',
  ],
  'logs/store': ['logs/columns', 'logs/files', 'logs/load', 'process', 'types'],
  'logs/refresh': ['logs/columns', 'logs/files', 'logs/load', 'logs/store', 'process', 'types'],
  engine: ['errors', 'formats', 'process', 'types'],
  'engine/verify': ['engine', 'process', 'values'],
  'engine/duckdb': [
    'engine',
    'engine/verify',
    'errors',
    'process',
    'rows',
    'types',
    'values',
    'values/functions',
  ],
  'engine/pool': ['engine', 'engine/duckdb', 'errors', 'process'],
  'bigquery/engine': ['engine', 'errors', 'formats', 'process', 'types'],
  endpoint: [
    'compiler',
    'compiler/rewrite',
    'compiler/syntax',
    'engine',
    'errors',
    'formats',
    'process',
    'values',
  ],
  cache: ['engine', 'process'],
  'generate/world': [],
  config: ['endpoint', 'errors', 'process', 'values'],
  generate: ['config', 'errors', 'generate/world', 'process'],
  run: [
    'cache',
    'compiler',
    'compiler/functions',
    'endpoint',
    'engine',
    'errors',
    'formats',
    'process',
    'types',
    'values',
  ],
  start: [
    'cache',
    'compiler',
    'config',
    'endpoint',
    'engine',
    'engine/pool',
    'errors',
    'logs/columns',
    'logs/files',
    'logs/load',
    'logs/refresh',
    'logs/store',
    'process',
    'rows',
    'run',
    'types',
  ],
  // BigQuery, which is plugged in: the command line and the programs open it.
  bigquery: [
    'bigquery/engine',
    'bigquery/target',
    'compiler',
    'config',
    'endpoint',
    'engine',
    'errors',
    'formats',
    'process',
    'start',
    'types',
  ],
  mcp: ['compiler/syntax', 'endpoint', 'errors', 'formats', 'process', 'run', 'types', 'values'],
  http: [
    'cache',
    'config',
    'endpoint',
    'engine',
    'errors',
    'formats',
    'mcp',
    'process',
    'run',
    'start',
    'types',
    'values',
  ],
  testing: [
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
    'start',
  ],
  cli: [
    'bigquery',
    'bigquery/engine',
    'compiler',
    'config',
    'endpoint',
    'engine',
    'engine/duckdb',
    'errors',
    'formats',
    'generate',
    'logs/store',
    'process',
    'run',
    'start',
    'testing',
    'values',
  ],
  // The page, which runs in a browser: it speaks to the service over HTTP alone.
  'explorer/model': ['compiler/lql', 'compiler/syntax', 'endpoint', 'errors', 'types', 'values'],
  'explorer/client': ['explorer/model', 'types'],
  'explorer/app': ['explorer/client', 'explorer/model', 'types'],
  'explorer/editor': ['compiler/syntax', 'explorer/app', 'explorer/model'],
  'explorer/views': [
    'endpoint',
    'explorer/app',
    'explorer/client',
    'explorer/editor',
    'explorer/model',
    'types',
  ],
  explorer: ['explorer/app', 'explorer/views'],
  // main.ts with server.ts, and child.ts: the two programs
  '.': [
    'bigquery',
    'bigquery/target',
    'cli',
    'compiler',
    'compiler/pool',
    'config',
    'endpoint',
    'engine/pool',
    'errors',
    'http',
    'logs/load',
    'mcp',
    'process',
    'run',
    'start',
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
  ['DuckDB', /from '@duckdb\//, /^(process\/duckdb-api|engine\/(duckdb|verify)\/|logs\/)/],
  [
    'BigQuery',
    /from '[./]+\/bigquery\/|import\('[./]+\/bigquery\//,
    /^(bigquery|cli)\/|^(main|child)\.ts$/,
  ],
  ['Hono', /from '(hono|@hono\/)/, /^http\//],
  ['the environment', /\bprocess\.env\b/, /^config\/config\.ts$/],
])('only its rooms touch %s', (_what, pattern, where) => {
  const users = files.filter(({ text }) => pattern.test(text)).map(({ path }) => path);
  expect(users.length).toBeGreaterThan(0);
  expect(users.filter((path) => !where.test(path))).toEqual([]);
});

test('one file imports the engine, and the others only its types', () => {
  const users = files.filter(({ text }) => /^import (?!type )[^;]*from '@duckdb\//m.test(text));
  expect(users.map(({ path }) => path)).toEqual(['process/duckdb-api.ts']);
});

/** Every use of their names has the name of the tree before it: `bound.Query`, `tree.Query`. */
const trees = [
  'compiler/bound/bound.ts',
  'compiler/duckdb-sql/duckdb-sql.ts',
  'compiler/syntax/tree.ts',
];

test('no name is exported by two files, those of the three trees aside', () => {
  const exported = /^export (?:async )?(?:function|const|interface|type|class) (\w+)/gm;
  const names = files.flatMap(({ path, text }) => {
    const own = trees.includes(path) ? [] : [...text.matchAll(exported)].map(([, name]) => name);
    return [...new Set(own)];
  });
  expect(names.length).toBeGreaterThan(1000);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test.each(files)('$path has a name for each export and re-exports nothing', ({ text }) => {
  expect(text).not.toMatch(/^export (default\b|\*|(type )?\{[^}]*\} from)/m);
});

test.each(files)('$path calls its functions after what they make', ({ text }) => {
  const given = /\b(?:function|const) ((?!oneOf)\w+Of)\b(?= ?(?:[(<]|= (?:async )?[(<]))/g;
  expect([...text.matchAll(given)].map(([, name]) => name)).toEqual([]);
});

/** The number of casts by file. A cast is allowed where foreign data enters, or where a library's type is too wide. */
const casts: Readonly<Record<string, number>> = {
  // The command line and the environment.
  'config/config.ts': 1,
  // Messages between this program's processes.
  'compiler/pool/compile-process.ts': 1,
  'process/task-child.ts': 2,
  'process/task.ts': 2,
  // Responses of the service, and what the browser has stored.
  'explorer/client/api.ts': 5,
  'explorer/client/tail.ts': 1,
  'testing/testing.ts': 1,
  // Events of the browser.
  'explorer/views/field-list.ts': 1,
  'explorer/views/form.ts': 1,
  'explorer/views/menu.ts': 2,
  'explorer/views/tail.ts': 1,
  'explorer/views/time-picker.ts': 1,
  'explorer/views/top-bar.ts': 2,
  // Values of DuckDB, and the arguments that its statements pass as JSON.
  'engine/duckdb/register-functions.ts': 1,
  'engine/verify/shape.ts': 1,
  'values/functions/analyze-text.ts': 1,
  'values/functions/cast-time.ts': 2,
  'values/functions/search.ts': 1,
  'values/json-raw.ts': 1,
  // Files.
  'engine/duckdb/macro-file.ts': 1,
  'logs/shapes/recognize.ts': 1,
  'logs/store/lease.ts': 1,
  'logs/store/manifest-file.ts': 2,
  'process/package-paths.ts': 1,
  // The types of Node and of htm are too wide.
  'explorer/app/html.ts': 1,
  'logs/files/packed-end.ts': 1,
};

test('no other file has a cast, and none has more', () => {
  const mayCast = files.filter(({ text }) => /\bas (?!const\b)/.test(text));
  const counts = mayCast.map(({ path, text }) => [
    path,
    countCasts(parseAst(text, { lang: 'ts' })),
  ]);
  expect(Object.fromEntries(counts.filter(([, count]) => count !== 0))).toEqual(casts);
});

/** Counts the nodes of `value as Type` in a syntax tree, `as const` aside. */
function countCasts(node: object): number {
  const parts = Object.values(node).filter((part) => typeof part === 'object' && part !== null);
  const isCast = 'type' in node && node.type === 'TSAsExpression' && !isConst(node);
  return parts.reduce((sum, part) => sum + countCasts(part), isCast ? 1 : 0);
}

function isConst(cast: object): boolean {
  return 'typeAnnotation' in cast && /"name":"const"/.test(JSON.stringify(cast.typeAnnotation));
}

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
