import { appendFileSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { programDigest } from '../../src/start/log-cache.js';

describe('the digest of the program', () => {
  let folder = '';
  let before = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'log-cache-test-'));
    for (const name of ['main.js', 'chunk-A.js']) writeFileSync(join(folder, name), name);
    before = programDigest(folder);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('does not depend on other files', () => {
    writeFileSync(join(folder, 'macros-1.duckdb'), 'not code');
    expect(programDigest(folder)).toBe(before);
  });

  test('changes with each file', () => {
    appendFileSync(join(folder, 'chunk-A.js'), '//');
    expect(programDigest(folder)).not.toBe(before);
  });

  test('changes with the name of a file', () => {
    renameSync(join(folder, 'chunk-A.js'), join(folder, 'chunk-B.js'));
    expect(programDigest(folder)).not.toBe(before);
  });

  test('fails without a program', () => {
    for (const name of ['main.js', 'chunk-A.js']) rmSync(join(folder, name));
    expect(() => programDigest(folder)).toThrow('npm run build');
  });
});
