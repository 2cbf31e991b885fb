import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { followInput, readInput } from '../../src/start/standard-input.js';

test('an input that ends is in the file', async () => {
  expect(readFileSync(await readInput(Readable.from([Buffer.from('a\nb')])), 'utf8')).toBe('a\nb');
});

test('an input shows what it is when it has brought 64 KB', async () => {
  const input = new PassThrough();
  const following = followInput(input);
  input.write(`${'x'.repeat(70_000)}\n`);
  const startMs = performance.now();
  expect(readFileSync(await following, 'utf8').length).toBeGreaterThan(65_535);
  expect(performance.now() - startMs).toBeLessThan(900);
  input.end();
});

test('an input that brings little is not waited for longer than a second', async () => {
  const input = new PassThrough();
  const following = followInput(input);
  input.write('a\n');
  expect(readFileSync(await following, 'utf8')).toBe('a\n');
  expect(readFileSync(await followInput(new PassThrough()), 'utf8')).toBe('');
  input.end();
});

test('of a long input the newest half or more is kept, in whole lines', async () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`);
  const input = Readable.from(lines.map((line) => Buffer.from(line)));
  const [file] = await Promise.all([followInput(input, 20_000), once(input, 'close')]);
  const texts = [`${file}.1`, file].map((path) => readFileSync(path, 'utf8'));
  const kept = texts.join('');
  expect(`${lines.join('')}\n`.endsWith(kept)).toBe(true);
  expect(kept.length).toBeGreaterThan(10_000);
  expect(kept.length).toBeLessThanOrEqual(20_020);
  expect(texts.every((text) => text.endsWith('\n'))).toBe(true);
  expect(readdirSync(dirname(file)).sort()).toEqual(['stdin', 'stdin.1']);
});
