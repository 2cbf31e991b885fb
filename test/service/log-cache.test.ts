import { appendFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loaderDigest } from '../../src/service/log-cache.js';
import { root } from '../support/paths.js';

describe('the digest of the loader', () => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'log-cache-test-'));
    for (const room of ['common', 'logs', 'types']) {
      cpSync(join(root, 'src', room), join(folder, room), { recursive: true });
    }
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  test('is the same for the same files', () => {
    writeFileSync(join(folder, 'logs/notes.txt'), 'not code');
    expect(loaderDigest(folder)).toBe(loaderDigest(join(root, 'src')));
  });

  test.each(['logs/columns/shape.ts', 'logs/load/macros.ts', 'common/quote.ts', 'types/types.ts'])(
    'changes with %s',
    (path) => {
      const before = loaderDigest(folder);
      appendFileSync(join(folder, path), '//');
      expect(loaderDigest(folder)).not.toBe(before);
    },
  );

  test('fails if a folder is missing, instead of leaving its files out', () => {
    rmSync(join(folder, 'logs'), { recursive: true });
    expect(() => loaderDigest(folder)).toThrow('ENOENT');
  });
});
