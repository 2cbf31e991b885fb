import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './support/paths.js';

interface LockedPackage {
  readonly version: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  readonly packages: Readonly<Record<string, LockedPackage>>;
};
const packages = Object.entries(lock.packages)
  .filter(([path, { link }]) => path !== '' && link !== true)
  .map(([path, locked]) => ({ name: path.replace(/^.*node_modules\//, ''), ...locked }));

/**
 * The registry that this lock file was made from does not have these. If it is complete,
 * `npm view <name>@<version> dist.integrity` prints what to add; then take the name off this list.
 */
const withoutIntegrity = [
  '@biomejs/cli-android-arm64',
  '@biomejs/cli-android-x64',
  '@biomejs/cli-darwin-arm64',
  '@biomejs/cli-darwin-x64',
  '@biomejs/cli-linux-arm64-musl',
  '@biomejs/cli-linux-x64-musl',
  '@biomejs/cli-win32-arm64',
  '@biomejs/cli-win32-x64',
  '@duckdb/node-bindings-darwin-arm64',
  '@duckdb/node-bindings-darwin-x64',
  '@duckdb/node-bindings-linux-arm64',
  '@duckdb/node-bindings-linux-arm64-musl',
  '@duckdb/node-bindings-win32-arm64',
  '@duckdb/node-bindings-win32-x64',
];

test('every package but the listed ones has a SHA-512 integrity', () => {
  const missing = packages.filter(
    ({ integrity }) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''),
  );
  expect(missing.map(({ name }) => name)).toEqual(withoutIntegrity);
});

test('what has no integrity is optional, and is not installed on Linux for x64 with glibc', () => {
  const installed = packages.filter(
    ({ integrity, optional, os, cpu, libc = ['glibc'] }) =>
      integrity === undefined &&
      (optional !== true ||
        (os?.includes('linux') && cpu?.includes('x64') && libc.includes('glibc'))),
  );
  expect(installed).toEqual([]);
});

test('no package is bound to a registry: npm fetches each from the configured one', () => {
  expect(packages.filter(({ resolved }) => resolved !== undefined)).toEqual([]);
});

test('CI installs what the lock file says', () => {
  expect(readFileSync(join(root, '.ci/run'), 'utf8')).toMatch(/^npm ci\b/m);
});

test("DuckDB's client, which is bundled, and its binary, which is installed, have one version", () => {
  const versionsOf = (wanted: string) =>
    packages.filter(({ name }) => name === wanted).map(({ version }) => version);
  const bindings = versionsOf('@duckdb/node-bindings');
  expect(bindings).toHaveLength(1);
  expect(versionsOf('@duckdb/node-api')).toEqual(bindings);
});
