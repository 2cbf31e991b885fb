import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './support/paths.js';

const folders = ['.ci', 'bench', 'docs', 'scripts', 'sql', 'src', 'test'];

/** Every file of the checkout that somebody wrote, with its path from the root. */
const files = [...folders, '.'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: folder !== '.', withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(ts|mjs|json|md|sql)$|^run$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
);

test('no file names a path outside of the checkout', () => {
  const neighbour = ['..', 'shared'].join('/');
  const outside = files.flatMap(({ path, text }) => {
    const up = path.endsWith('.json') ? [] : (text.match(/(?<![\w./])(?:\.\.\/)+[\w.-]*/g) ?? []);
    const escaping = up.filter((target) => normalize(join(dirname(path), target)).startsWith('..'));
    return [...escaping, ...(text.includes(neighbour) ? [neighbour] : [])].map(
      (target) => `${path}: ${target}`,
    );
  });
  expect(files.length).toBeGreaterThan(500);
  expect(outside).toEqual([]);
});

/** The imports that start a process, need the built program, or run queries in DuckDB. */
const heavy =
  /from 'node:(?:child_process|worker_threads)'|support\/(?:start-service|run-program|run-query|scratch-database)\.js'/;
const imported = /^(?:im|ex)port [^;']*?'(\.[^']+)'/gm;
const texts = new Map(files.map(({ path, text }) => [path, text]));

/** A test file and the files below `test/` that it imports, types apart. */
function withImports(path: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const [line, target = ''] of (texts.get(path) ?? '').matchAll(imported)) {
    const file = normalize(join(dirname(path), target)).replace(/\.js$/, '.ts');
    if (file.startsWith('test/') && !line.startsWith('import type ')) withImports(file, seen);
  }
  return seen;
}

const units = files
  .map(({ path }) => path)
  .filter((path) =>
    /^test\/.*(?<!\.integration|\.stress|\.nightly|\.bigquery)\.test\.ts$/.test(path),
  );

test.each(units)('%s starts no process and no DuckDB: else it is an integration test', (path) => {
  const users = [...withImports(path)].filter((file) => heavy.test(texts.get(file) ?? ''));
  expect(users).toEqual([]);
});

test('most test files have the path of the source file that they test', () => {
  const paths = new Set(files.map(({ path }) => path));
  const rooms = new Set([...paths].map((path) => /^src\/([^/]+)\//.exec(path)?.[1]));
  const tests = [...paths].flatMap((path) => {
    const stem = /^test\/([^.]+)(?:\.\w+)?\.test\.ts$/.exec(path)?.[1];
    return stem !== undefined && rooms.has(stem.split('/')[0]) ? [stem] : [];
  });
  const own = tests.filter((stem) => paths.has(`src/${stem}.ts`));
  expect(own.length / tests.length).toBeGreaterThan(0.6);
});
