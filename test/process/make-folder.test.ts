import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeFolder } from '../../src/process/make-folder.js';

const folder = mkdtempSync(join(tmpdir(), 'make-folder-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a folder is made with those that it is in, and may be there already', () => {
  const path = join(folder, 'a', 'b', 'c');
  makeFolder(path, 0o700);
  makeFolder(path);
  expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700);
  expect(statSync(path).isDirectory()).toBe(true);
});

test('a file in its place is an error', () => {
  writeFileSync(join(folder, 'file'), '');
  expect(() => makeFolder(join(folder, 'file'))).toThrow('EEXIST');
  // From Node 22 on, a path below a file counts as absent, so that the file itself is in the way.
  expect(() => makeFolder(join(folder, 'file', 'x'))).toThrow(/ENOTDIR|EEXIST/);
});

test.runIf(existsSync('/proc/self'))('a folder that cannot be is an error, not a wait', () => {
  expect(() => makeFolder('/proc/none/x')).toThrow('ENOENT');
});
