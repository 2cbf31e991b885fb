import { fork } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readIdKey } from '../../../src/logs/store/id-key.js';

let root = '';
let cacheDir = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'id-key-'));
  cacheDir = join(root, 'cache');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const path = () => join(cacheDir, 'id.key');

test('a key is made once, and nobody else can read it', () => {
  const key = readIdKey(cacheDir);
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(readIdKey(cacheDir)).toBe(key);
  expect(readdirSync(cacheDir)).toEqual(['id.key']);
  expect(statSync(path()).mode & 0o777).toBe(0o600);
  expect(statSync(cacheDir).mode & 0o777).toBe(0o700);
  chmodSync(path(), 0o644);
  expect(readIdKey(cacheDir)).toBe(key);
  expect(statSync(path()).mode & 0o777).toBe(0o600);
});

test('every folder has another key', () => {
  expect(readIdKey(cacheDir)).not.toBe(readIdKey(join(root, 'other')));
});

test.each(['', 'x', 'ab'.repeat(32), `${'AB'.repeat(32)}\n`])(
  'a damaged key, %j, is replaced',
  (text) => {
    readIdKey(cacheDir);
    writeFileSync(path(), text);
    const key = readIdKey(cacheDir);
    expect(readFileSync(path(), 'utf8')).toBe(`${key}\n`);
    expect(readdirSync(cacheDir)).toEqual(['id.key']);
  },
);

test('a link in place of the key is not followed', () => {
  readIdKey(cacheDir);
  rmSync(path());
  writeFileSync(join(root, 'else'), 'x');
  symlinkSync(join(root, 'else'), path());
  expect(() => readIdKey(cacheDir)).toThrow('not ours');
  expect(readFileSync(join(root, 'else'), 'utf8')).toBe('x');
});

test('processes that start at the same time get the same key', async () => {
  const program = join(root, 'read.mjs');
  const module = join(process.cwd(), 'build/logs/store/id-key.js');
  writeFileSync(
    program,
    `import { readIdKey } from ${JSON.stringify(module)};
     process.on('message', (dirs) => process.send(dirs.map((dir) => readIdKey(dir))));
     process.send('ready');`,
  );
  const children = Array.from({ length: 4 }, () => fork(program));
  await Promise.all(children.map((child) => once(child, 'message')));
  const dirs = Array.from({ length: 50 }, (_, index) => join(root, `cache-${index}`));
  const answers = children.map((child) => once(child, 'message'));
  for (const child of children) child.send(dirs);
  const keys = (await Promise.all(answers)).map(([each]) => each);
  for (const child of children) child.kill();
  expect(new Set(keys[0]).size).toBe(50);
  expect(keys).toEqual(keys.map(() => keys[0]));
});
