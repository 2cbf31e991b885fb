import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  closeSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { leasedFiles } from '../../../src/logs/store/lease.js';
import {
  clearCaches,
  listCaches,
  removeOldCaches,
} from '../../../src/logs/store/manage-entries.js';
import { emptyManifest, type Manifest } from '../../../src/logs/store/manifest.js';
import { type DiskCache, openDiskCache } from '../../../src/logs/store/store.js';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'disk-cache-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const key = { dataFolder: '/logs', storedBy: ['1'] };

/** A new file of 300,000 bytes, and the manifest with it as the only part. */
function build(cache: DiskCache, source = 'edge_logs'): Manifest {
  const database = cache.newDatabase();
  writeFileSync(join(cache.folder, database), Buffer.alloc(300_000, database));
  return { ...emptyManifest, parts: [{ source, database, slices: [], records: 1 }] };
}

function databaseOf({ parts: [part] }: Manifest): string {
  return part?.database ?? '';
}

function names(folder: string, end = '.duckdb'): readonly string[] {
  return readdirSync(folder).filter((name) => name.endsWith(end));
}

async function open(by: readonly unknown[] = key.storedBy) {
  const cache = openDiskCache(root, { ...key, storedBy: by });
  return { cache, ...(await cache.read()) };
}

function flip(path: string, offset: number): void {
  const byte = readFileSync(path)[offset] ?? 0;
  const fd = openSync(path, 'r+');
  writeSync(fd, Buffer.from([byte ^ 1]), 0, 1, offset);
  closeSync(fd);
}

/** Writes a lease. */
function writeLease(folder: string, lease: object | string): string {
  const path = join(folder, 'ffffffffffffffff.lease');
  writeFileSync(path, typeof lease === 'string' ? lease : JSON.stringify(lease));
  return path;
}

describe('a saved manifest', () => {
  test('is read by the next process, and nobody else can read it', async () => {
    const first = await open();
    expect([first.isDamaged, first.manifest]).toEqual([false, undefined]);
    const manifest = build(first.cache);
    await first.cache.save(manifest);
    const next = await open();
    expect([next.isDamaged, next.manifest]).toEqual([false, manifest]);
    expect(statSync(first.cache.folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(first.cache.folder, 'manifest.json')).mode & 0o777).toBe(0o600);
  });

  test('is not written again if it is the same', async () => {
    const { cache } = await open();
    await cache.save(build(cache));
    const next = await open();
    const path = join(cache.folder, 'manifest.json');
    const { ino } = statSync(path);
    await next.cache.save(next.manifest ?? emptyManifest);
    expect(statSync(path).ino).toBe(ino);
  });

  test('of another version or schema is not read, and is removed', async () => {
    const old = await open(['2']);
    await old.cache.save(build(old.cache));
    for (const name of names(old.cache.folder, '.lease')) rmSync(join(old.cache.folder, name));
    const next = await open(['3']);
    expect(next.manifest).toBeUndefined();
    removeOldCaches(root, { dataFolder: key.dataFolder, except: next.cache.folder });
    expect(listCaches(root).map(({ folder: each }) => each)).toEqual([next.cache.folder]);
  });

  test.runIf(process.getuid?.() === 0)('in a folder of another user is not used', async () => {
    const { cache } = await open();
    chownSync(cache.folder, 12_345, 12_345);
    expect(() => openDiskCache(root, key)).toThrow('another user');
  });
});

describe('detects damage:', () => {
  const file = (cache: DiskCache, manifest: Manifest) => join(cache.folder, databaseOf(manifest));
  const kept = ({ folder }: DiskCache) => join(folder, 'manifest.json');
  test.each<[string, (cache: DiskCache, manifest: Manifest) => void]>([
    ['a truncated file', (cache, all) => truncateSync(file(cache, all), 299_999)],
    ['a file that is longer', (cache, all) => appendFileSync(file(cache, all), 'x')],
    ['a byte at its beginning', (cache, all) => flip(file(cache, all), 8)],
    ['a byte in its middle', (cache, all) => flip(file(cache, all), 150_001)],
    ['a byte at its end', (cache, all) => flip(file(cache, all), 299_999)],
    ['garbage', (cache, all) => writeFileSync(file(cache, all), 'garbage')],
    ['an empty file', (cache, all) => writeFileSync(file(cache, all), '')],
    ['no file', (cache, all) => rmSync(file(cache, all))],
    ['an empty manifest', (cache) => writeFileSync(kept(cache), '')],
    ['a truncated manifest', (cache) => truncateSync(kept(cache), 200)],
    ['a byte of the manifest', (cache) => flip(kept(cache), 150)],
    [
      'a manifest of another format',
      (cache) => writeFileSync(kept(cache), '{"digest":"","body":1}'),
    ],
    ['a manifest that is a number', (cache) => writeFileSync(kept(cache), '1')],
  ])('%s', async (_what, damage) => {
    const { cache } = await open();
    const manifest = build(cache);
    await cache.save(manifest);
    damage(cache, manifest);
    const next = await open();
    expect([next.isDamaged, next.manifest]).toEqual([true, undefined]);
    const reloaded = build(next.cache);
    await next.cache.save(reloaded);
    expect((await open()).manifest).toEqual(reloaded);
  });
});

describe('of the files in a cache', () => {
  test('those of a killed process are removed', async () => {
    const { cache } = await open();
    const left = [
      '0123456789abcdef.duckdb',
      '0123456789abcdef.duckdb.wal',
      '0123456789abcdee.json',
    ];
    for (const name of left) writeFileSync(join(cache.folder, name), 'x');
    writeLease(cache.folder, { pid: 2 ** 22 + 1, host: 'x', names: left });
    writeLease(cache.folder, 'cut of');
    const manifest = build(cache);
    await cache.save(manifest);
    expect(names(cache.folder)).toEqual([databaseOf(manifest)]);
    expect(names(cache.folder, '.wal')).toEqual([]);
    expect(names(cache.folder, '.json').toSorted()).toEqual(['about.json', 'manifest.json']);
  });

  test('partial leases of a killed process are removed, and those being written stay', async () => {
    const { cache } = await open();
    const [left, now] = ['ffffffffffffffff.lease.new', 'fffffffffffffffe.lease.new'];
    for (const name of [left, now]) writeFileSync(join(cache.folder, name), '{');
    const hourAgo = Date.now() / 1000 - 3600;
    utimesSync(join(cache.folder, left), hourAgo, hourAgo);
    await cache.save(build(cache));
    expect(names(cache.folder, '.new')).toEqual([now]);
  });

  test('those of an earlier process with our pid are removed', async () => {
    const { cache } = await open();
    const [lease = ''] = names(cache.folder, '.lease');
    const { host } = JSON.parse(readFileSync(join(cache.folder, lease), 'utf8'));
    expect(host).toContain(hostname());
    const path = writeLease(cache.folder, { pid: process.pid, host, names: ['x'] });
    expect(leasedFiles(cache.folder)).toEqual(new Set());
    expect(() => statSync(path)).toThrow();
  });

  test.runIf(process.platform === 'linux').each([
    ['now', (now: string) => now, true],
    ['at an unknown time', () => undefined, true],
    ['earlier', (now: string) => now.replace(/\d+$/, '1'), false],
    ['before a reboot', (now: string) => `x${now}`, false],
  ])('those of a process that began %s stay, or go', async (_what, startOf, stays) => {
    const { cache } = await open();
    const [lease = ''] = names(cache.folder, '.lease');
    const { host, start } = JSON.parse(readFileSync(join(cache.folder, lease), 'utf8'));
    const child = spawn('sleep', ['60']);
    const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    const began = startOf(start.replace(/\d+$/, ticks));
    writeLease(cache.folder, { pid: child.pid, start: began, host, names: ['x'] });
    expect(leasedFiles(cache.folder).has('x')).toBe(stays);
    child.kill();
    await once(child, 'exit');
    expect(leasedFiles(cache.folder).has('x')).toBe(false);
  });

  test('those of an invisible process stay', async () => {
    const { cache } = await open();
    const other = '0123456789abcdef.duckdb';
    writeFileSync(join(cache.folder, other), 'x');
    writeFileSync(join(cache.folder, `${other}.wal`), 'x');
    writeLease(cache.folder, { pid: 1, host: 'of another container', names: [other] });
    await cache.save(build(cache));
    expect(names(cache.folder)).toContain(other);
    expect(names(cache.folder, '.wal')).toEqual([`${other}.wal`]);
  });

  test('those that are held or being built stay until then', async () => {
    const { cache } = await open();
    const [old, building] = [build(cache), cache.newDatabase()];
    writeFileSync(join(cache.folder, building), 'x');
    await cache.save(old);
    const release = cache.hold([databaseOf(old)]);
    const now = build(cache);
    await cache.save(now);
    expect(names(cache.folder)).toHaveLength(3);
    release();
    cache.discard(building);
    expect(names(cache.folder)).toEqual([databaseOf(now)]);
  });

  test('files that are held twice are named once in the lease', async () => {
    const { cache } = await open();
    const manifest = build(cache);
    await cache.save(manifest);
    const [lease = ''] = names(cache.folder, '.lease');
    const read = () => readFileSync(join(cache.folder, lease), 'utf8');
    const before = read();
    cache.hold([databaseOf(manifest)]);
    cache.hold([databaseOf(manifest)])();
    expect(read()).toBe(before);
  });

  test('those of the manifest stay, whichever process wrote it', async () => {
    const [one, two] = [(await open()).cache, (await open()).cache];
    const manifest = build(two);
    await one.save(build(one));
    await two.save(manifest);
    // The process of the second cache ends, and its lease with it.
    for (const name of names(two.folder, '.lease')) {
      const { names: leased } = JSON.parse(readFileSync(join(two.folder, name), 'utf8'));
      if (leased.includes(databaseOf(manifest))) rmSync(join(two.folder, name));
    }
    one.hold([])();
    expect((await open()).manifest).toEqual(manifest);
  });

  test('a removed folder is created again', async () => {
    const { cache } = await open();
    const release = cache.hold([]);
    rmSync(cache.folder, { recursive: true });
    release();
    const manifest = build(cache);
    await cache.save(manifest);
    expect((await open()).manifest).toEqual(manifest);
  });
});

describe('if its folder is removed while it is used, a cache', () => {
  test('is there again, as it was', async () => {
    const { cache } = await open();
    const [held, manifest] = [build(cache), build(cache)];
    cache.hold([databaseOf(held)]);
    await cache.save(manifest);
    const files = () =>
      names(cache.folder).map((name) => readFileSync(join(cache.folder, name)).toString('base64'));
    const before = files();
    expect(await cache.restore?.()).toBe(false);
    rmSync(root, { recursive: true });
    expect(await cache.restore?.()).toBe(true);
    expect(files()).toEqual(before);
    expect(statSync(cache.folder).mode & 0o777).toBe(0o700);
    expect(statSync(join(cache.folder, databaseOf(manifest))).mode & 0o777).toBe(0o600);
    expect((await open()).manifest).toEqual(manifest);
    expect(leasedFiles(cache.folder).has(databaseOf(held))).toBe(true);
    expect(listCaches(root)).toMatchObject([{ dataFolder: '/logs', isUsed: true }]);
  });

  test('has only the files that are still used', async () => {
    const { cache } = await open();
    const old = build(cache);
    await cache.save(old);
    const release = cache.hold([databaseOf(old)]);
    const manifest = build(cache);
    await cache.save(manifest);
    rmSync(root, { recursive: true });
    release();
    await cache.restore?.();
    expect(names(cache.folder)).toEqual([databaseOf(manifest)]);
    rmSync(join(cache.folder, databaseOf(manifest)));
    expect(await cache.restore?.()).toBe(true);
    expect((await open()).manifest).toEqual(manifest);
  });

  test('has no files that were discarded, and none as they were before they were finished', async () => {
    const { cache } = await open();
    const [discarded, finished] = [build(cache), build(cache)];
    await cache.save(build(cache));
    const path = join(cache.folder, databaseOf(finished));
    rmSync(path);
    writeFileSync(path, 'finished');
    cache.discard(databaseOf(discarded));
    expect(await cache.restore?.()).toBe(false);
    await cache.save(finished);
    rmSync(path);
    expect(await cache.restore?.()).toBe(true);
    expect(names(cache.folder)).toEqual([databaseOf(finished)]);
    expect(readFileSync(path, 'utf8')).toBe('finished');
  });
});

test('any number of caches need only one exit listener', async () => {
  await open();
  const before = process.listenerCount('exit');
  for (let round = 0; round < 20; round += 1) await open();
  expect(process.listenerCount('exit')).toBe(before);
});

test('lists all entries, and clears unused ones', async () => {
  const { cache } = await open();
  await cache.save(build(cache));
  const unused = join(root, 'unused');
  const other = openDiskCache(root, { dataFolder: '/other', storedBy: [] });
  await other.save(build(other));
  for (const name of names(other.folder, '.lease')) rmSync(join(other.folder, name));
  writeLease(other.folder, { pid: 2 ** 22 + 1, host: 'gone', names: [] });
  expect(listCaches(unused)).toEqual([]);
  const listed = listCaches(root).map(({ dataFolder, isUsed }) => [dataFolder, isUsed]);
  expect(listed).toEqual([
    ['/logs', true],
    ['/other', true],
  ]);
  // The lease of another host is valid for some minutes; of this host, it would not be.
  for (const name of names(other.folder, '.lease')) rmSync(join(other.folder, name));
  expect(clearCaches(root)).toMatchObject([{ dataFolder: '/other', isUsed: false }]);
  expect(listCaches(root)).toMatchObject([{ dataFolder: '/logs', isUsed: true }]);
  expect(listCaches(root)[0]?.bytes).toBeGreaterThan(300_000);
});
