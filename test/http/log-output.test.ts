import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { createLogOutput } from '../../src/http/log-output.js';

const folder = mkdtempSync(join(tmpdir(), 'log-output-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('many short lines are written together after a pause, long ones at once', async () => {
  const file = join(folder, 'log');
  const output = createLogOutput(openSync(file, 'w'));
  const short = Array.from({ length: 100 }, (_, index) => `${index} é\n`);
  for (const line of short) output.write(line);
  expect(readFileSync(file, 'utf8')).toBe('');
  await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toBe(short.join('')));
  output.write('x'.repeat(100_000));
  output.write('y');
  await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toContain('xy'));
});

test('lines that come while others are written follow in their order', async () => {
  const file = join(folder, 'busy');
  const output = createLogOutput(openSync(file, 'w'));
  const lines = Array.from({ length: 5_000 }, (_, index) => `${index} ${'é'.repeat(40)}\n`);
  for (const [index, line] of lines.entries()) {
    output.write(line);
    if (index % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await vi.waitFor(() => expect(readFileSync(file, 'utf8')).toBe(lines.join('')));
});

test('what waits can be written at once', () => {
  const file = join(folder, 'now');
  const output = createLogOutput(openSync(file, 'w'));
  output.write('a\n');
  output.write('b\n');
  output.flushSync();
  expect(readFileSync(file, 'utf8')).toBe('a\nb\n');
});

test('lines that cannot be written are given up', async () => {
  const file = join(folder, 'read-only');
  writeFileSync(file, '');
  // Not a closed descriptor: another thread may open a file that gets the same number.
  const output = createLogOutput(openSync(file, 'r'));
  output.write('lost\n');
  output.flushSync();
  output.write('x'.repeat(100_000));
  output.flushSync();
  expect(readFileSync(file, 'utf8')).toBe('');
});
