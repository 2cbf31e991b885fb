import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from 'vitest';
import { findPackedEnd } from '../../../src/logs/files/packed-end.js';

const root = mkdtempSync(join(tmpdir(), 'packed-end-'));
afterAll(() => rmSync(root, { recursive: true }));

function endOf(bytes: Buffer): Promise<number | undefined> {
  const path = join(root, 'file.gz');
  writeFileSync(path, bytes);
  return findPackedEnd(path, 'gzip');
}

const small = gzipSync('{"id":"a"}\n');
const garbage = Buffer.from('garbage');

test.each([
  ['one that does not shrink', [gzipSync(randomBytes(3_000_000))]],
  ['one that unpacks to much', [gzipSync(Buffer.alloc(60_000_000))]],
  ['large ones among small ones', [small, gzipSync(randomBytes(900_000)), small, small]],
  ['an empty one', [gzipSync('')]],
  ['middle-sized ones', Array.from({ length: 30 }, () => gzipSync(randomBytes(50_000)))],
])('members end where the next bytes begin: %s', async (_what, members) => {
  const packed = Buffer.concat(members);
  expect(await endOf(packed)).toBe(packed.length);
  expect(await endOf(Buffer.concat([packed, garbage]))).toBe(packed.length);
  expect(await endOf(packed.subarray(0, -12))).toBe(undefined);
});

test('the end of very many members is found', async () => {
  const packed = Buffer.concat(Array.from({ length: 50_000 }, () => small));
  expect(await endOf(Buffer.concat([packed, garbage]))).toBe(packed.length);
}, 60_000);
