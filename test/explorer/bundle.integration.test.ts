import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { root } from '../support/paths.js';

const folder = join(root, 'dist/explorer');
const files = readdirSync(folder).map((name) => ({
  name,
  bytes: readFileSync(join(folder, name)),
}));

const bytesOf = (name: string) => files.find((file) => file.name === name)?.bytes ?? Buffer.of();

test('the page has under 250 KB when compressed', () => {
  const sizes = files.map(({ bytes }) => gzipSync(bytes).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(250_000);
});

test('what is loaded before the first paint has neither the editor nor the charts', () => {
  // A chunk that several others import is loaded once.
  const loaded = new Set<string>();
  const load = (name: string): void => {
    if (loaded.has(name)) return;
    loaded.add(name);
    const text = bytesOf(name).toString();
    const imported = text.matchAll(/(?:from|import)"\.\/([^"]+)"/g);
    for (const [, path = ''] of imported) load(path);
  };
  load('explorer.js');
  const size = [...loaded].reduce((sum, name) => sum + gzipSync(bytesOf(name)).length, 0);
  expect(size).toBeGreaterThan(10_000);
  expect(size).toBeLessThan(60_000);
});

test('the page loads nothing from another host, and has no script or style of its own', () => {
  const page = files.find(({ name }) => name === 'index.html')?.bytes.toString() ?? '';
  const loaded = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
  expect(loaded.toSorted()).toEqual([
    'explorer/explorer-style.css',
    'explorer/explorer.js',
    'explorer/icon.svg',
  ]);
  expect(page).not.toMatch(/<style|style=|<script[^>]*>[^<]/);
  const styles = files.find(({ name }) => name.endsWith('.css'))?.bytes.toString() ?? '';
  expect(styles).not.toMatch(/url\(|@import/);
});

test('the licences of the packages in the page travel with it', () => {
  const licences = readFileSync(join(root, 'dist/LICENSES.txt'), 'utf8');
  for (const name of ['preact', 'htm', 'uplot', 'codemirror', '@codemirror/view', '@lezer/lr']) {
    expect(licences).toMatch(new RegExp(`^${name} \\d`, 'm'));
  }
});
