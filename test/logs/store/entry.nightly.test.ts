import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sweepEntry } from '../../../src/logs/store/lease.js';
import {
  clearCaches,
  listCaches,
  removeEntry,
  removeOldCaches,
} from '../../../src/logs/store/manage-entries.js';
import { emptyManifest } from '../../../src/logs/store/manifest.js';
import { openDiskCache } from '../../../src/logs/store/store.js';
import { line } from '../../support/refresh-fixture.js';
import { makeFolders, runProgram } from '../../support/run-program.js';

const hex = '0123456789abcdef0123456789abcdef';
const about = JSON.stringify({ program: 'log-endpoints', format: 2, dataFolder: '/gone' });
const own = ['0123456789abcdef.duckdb', '0123456789abcdef.duckdb.wal', 'manifest.json'];

let root = '';
let cacheDir = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'disk-cache-own-'));
  cacheDir = join(root, 'cache');
  mkdirSync(cacheDir);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Writes files below a folder, old enough to be removed. */
function write(folder: string, files: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    utimesSync(path, 0, 0);
  }
  return folder;
}

/** Writes an unused entry with additional files. */
function writeEntry(folder: string, files: Readonly<Record<string, string>> = {}): string {
  const ours = Object.fromEntries(own.map((name) => [name, 'x']));
  return write(folder, { 'about.json': about, ...ours, ...files });
}

/** Every path below the root. */
function tree(): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
}

/** Calls everything that lists or removes entries. */
function manageAll(): void {
  listCaches(cacheDir);
  removeOldCaches(cacheDir, { dataFolder: '/gone', except: '' });
  clearCaches(cacheDir);
}

describe('files that are not ours stay unchanged', () => {
  const cases: readonly [string, () => void][] = [
    [
      'a folder with an old about.json of its own',
      () => write(join(cacheDir, 'site'), { 'about.json': '{"dataFolder":"/gone"}', 'a/b': 'x' }),
    ],
    ['a folder with another name and our marker', () => writeEntry(join(cacheDir, 'site'))],
    ['a folder with upper-case digits', () => writeEntry(join(cacheDir, hex.toUpperCase()))],
    [
      'a folder of an entry without a marker',
      () => write(join(cacheDir, hex), Object.fromEntries(own.map((name) => [name, 'x']))),
    ],
    ...[
      '{"dataFolder":"/gone"}',
      about.replace('log-endpoints', 'other'),
      about.replace('2', '1'),
      about.replace('"/gone"', '["/gone"]'),
      'null',
    ].map((text): [string, () => void] => [
      `the marker ${text}`,
      () => writeEntry(join(cacheDir, hex), { 'about.json': text }),
    ]),
    [
      'a link to an entry',
      () => symlinkSync(writeEntry(join(root, hex.replace('0', 'f'))), join(cacheDir, hex)),
    ],
    [
      'a folder whose marker is a link',
      () => {
        rmSync(join(writeEntry(join(cacheDir, hex)), 'about.json'));
        symlinkSync(
          join(write(root, { 'about.json': about }), 'about.json'),
          join(cacheDir, hex, 'about.json'),
        );
      },
    ],
    ['a file with the name of an entry', () => write(cacheDir, { [hex]: 'x' })],
    [
      'files with the suffix of leases',
      () =>
        write(join(cacheDir, 'site'), { 'about.json': about, 'a.lease': '', 'b.lease.new': '' }),
    ],
  ];
  test.each(cases)('%s', (_what, make) => {
    make();
    const before = tree();
    manageAll();
    expect(tree()).toEqual(before);
    expect(listCaches(cacheDir)).toEqual([]);
  });

  test.runIf(process.getuid?.() === 0)('an entry of another user', () => {
    chownSync(writeEntry(join(cacheDir, hex)), 12_345, 12_345);
    const before = tree();
    manageAll();
    expect(tree()).toEqual(before);
  });
});

describe.each([
  ['empty', ''],
  ['cut', about.slice(0, -1)],
  ['of zeros', '\0'.repeat(100)],
])('an entry whose marker is %s', (_what, text) => {
  const entry = () => join(cacheDir, hex);

  test('is listed and cleared if all that is in it is ours', () => {
    const spill = '0123456789abcdef.duckdb.spill/stage.duckdb';
    writeEntry(entry(), { 'about.json': text, [spill]: 'x' });
    expect(listCaches(cacheDir)).toMatchObject([
      { folder: entry(), dataFolder: 'unknown: about.json is damaged' },
    ]);
    expect(clearCaches(cacheDir)).toMatchObject([{ left: [] }]);
    expect(tree()).toEqual(['cache']);
  });

  test.each(['notes.txt', 'photos/1.jpg', 'manifest.json/x', 'about.json.bak'])(
    'stays if %s is in it',
    (name) => {
      write(entry(), { 'about.json': text, [own[0] ?? '']: 'x', [name]: 'x' });
      const before = tree();
      manageAll();
      expect(tree()).toEqual(before);
      expect(listCaches(cacheDir)).toEqual([]);
    },
  );

  test('is used, with a new marker', () => {
    const { folder } = openDiskCache(cacheDir, { dataFolder: '/logs', storedBy: [] });
    writeFileSync(join(folder, 'about.json'), text);
    openDiskCache(cacheDir, { dataFolder: '/logs', storedBy: [] });
    expect(listCaches(cacheDir)).toMatchObject([{ dataFolder: '/logs', isUsed: true }]);
    expect(readdirSync(folder).filter((name) => name.startsWith('about'))).toEqual(['about.json']);
  });
});

test('a marker that cannot be written leaves nothing', () => {
  const { folder } = openDiskCache(cacheDir, { dataFolder: '/logs', storedBy: [] });
  rmSync(folder, { recursive: true });
  // Renaming the new marker to a folder fails.
  mkdirSync(join(folder, 'about.json', 'x'), { recursive: true });
  expect(() => openDiskCache(cacheDir, { dataFolder: '/logs', storedBy: [] })).toThrow();
  expect(readdirSync(folder)).toEqual(['about.json']);
});

describe('an entry of ours', () => {
  const entry = () => join(cacheDir, hex);

  test('is removed with everything that we write there', () => {
    const spill = '0123456789abcdef.duckdb.spill';
    const rows = `0123456789abcdef.duckdb.${'0'.repeat(24)}.rows`;
    writeEntry(entry(), {
      'about.json.17': '{',
      '0123456789abcdef.json': '{',
      'ffffffffffffffff.lease': 'cut of',
      'fffffffffffffffe.lease.new': '{',
      [`${spill}/duckdb_temp_storage_DEFAULT-0.tmp`]: 'x',
      [`${spill}/stage.duckdb`]: 'x',
      [`${spill}/copies/0/12`]: 'x',
      [rows]: 'x',
      [`${rows}.0123456789abcdef`]: 'x',
    });
    expect(clearCaches(cacheDir)).toMatchObject([{ folder: entry(), left: [] }]);
    expect(tree()).toEqual(['cache']);
  });

  test('stays with files that are not ours, which are reported once', () => {
    const foreign = {
      'notes.txt': 'x',
      'photos/about.json': about,
      'photos/manifest.json': 'x',
      '0123456789abcdee.duckdb/manifest.json': 'x',
      '0123456789abcdee.duckdb.spill/notes.txt': 'x',
      '0123456789abcdee.duckdb.spill/copies/notes.txt': 'x',
      'a.lease': '',
      'mine.rows': '',
    };
    writeEntry(entry(), { ...foreign, '0123456789abcdee.duckdb.spill/stage.duckdb': 'x' });
    symlinkSync(write(join(root, 'else'), { a: 'x' }), join(entry(), '0123456789abcded.duckdb'));
    const left = new Set(Object.keys(foreign).map((path) => path.split('/')[0]));
    const [cleared, ...others] = clearCaches(cacheDir);
    expect(others).toEqual([]);
    expect(new Set(cleared?.left)).toEqual(left.add('0123456789abcded.duckdb'));
    for (const path of Object.keys(foreign)) expect(existsSync(join(entry(), path))).toBe(true);
    for (const name of [...own, 'about.json']) expect(existsSync(join(entry(), name))).toBe(false);
    expect(existsSync(join(entry(), '0123456789abcdee.duckdb.spill/stage.duckdb'))).toBe(false);
    expect(readdirSync(join(root, 'else'))).toEqual(['a']);
    expect(clearCaches(cacheDir)).toEqual([]);
  });

  test('is not removed if it is in use or already gone', () => {
    expect(removeEntry(writeEntry(entry()))).toEqual([]);
    expect(removeEntry(entry())).toBeUndefined();
    const { folder } = openDiskCache(cacheDir, { dataFolder: '/logs', storedBy: [] });
    const before = tree();
    expect(removeEntry(folder)).toBeUndefined();
    expect(tree()).toEqual(before);
  });

  test('is swept only of files with our names that are of the right kind', async () => {
    const cache = openDiskCache(cacheDir, { dataFolder: '/logs', storedBy: [] });
    write(cache.folder, {
      '0123456789abcdef.duckdb/a': 'x',
      '0123456789abcdef.duckdb.spill/a': 'x',
      '0123456789abcdee.duckdb': 'x',
    });
    await cache.save(emptyManifest);
    sweepEntry(cache.folder, () => []);
    expect(existsSync(join(cache.folder, '0123456789abcdef.duckdb/a'))).toBe(true);
    expect(existsSync(join(cache.folder, '0123456789abcdef.duckdb.spill/a'))).toBe(true);
    expect(existsSync(join(cache.folder, '0123456789abcdee.duckdb'))).toBe(false);
  });
});

describe('a folder is not used as an entry', () => {
  const key = { dataFolder: '/logs', storedBy: [] };
  const folderOf = () => {
    const { folder } = openDiskCache(cacheDir, key);
    rmSync(folder, { recursive: true });
    return folder;
  };

  test('if it is a link', () => {
    const folder = folderOf();
    symlinkSync(write(join(root, 'else'), { a: 'x' }), folder);
    expect(() => openDiskCache(cacheDir, key)).toThrow('is a symbolic link');
    expect(readdirSync(join(root, 'else'))).toEqual(['a']);
  });

  test('if its about.json is not ours', () => {
    const folder = write(folderOf(), { 'about.json': '{"dataFolder":"/logs"}' });
    expect(() => openDiskCache(cacheDir, key)).toThrow('was not written by log-endpoints');
    expect(readFileSync(join(folder, 'about.json'), 'utf8')).toBe('{"dataFolder":"/logs"}');
  });
});

describe('the program', () => {
  const folders = makeFolders();
  afterAll(folders.remove);
  const clear = () => runProgram(folders, ['cache', 'clear'], { cache: cacheDir });
  const foreign = { 'my\nnotes': '', a: '', b: '', c: '' };
  const stays = (entry: string) =>
    `${entry} stays because it contains "a", "b", "c" and 1 more, which log-endpoints did not write\n`;

  test('clears an entry, and reports once which files stay', async () => {
    const entry = writeEntry(join(cacheDir, hex), foreign);
    const { stdout } = await clear();
    expect(stdout).toMatch(/Z {2}[\d.]+ \w+ {2}\/gone\n/);
    expect(stdout).toContain(stays(entry));
    expect((await clear()).stdout).toBe(`${cacheDir}: cleared 0 data folders, 0 bytes\n`);
  });

  test('removes an old entry when it starts, and warns once about files that stay', async () => {
    const entry = writeEntry(join(cacheDir, hex), foreign);
    writeFileSync(join(folders.data, 'db_logs.ndjson'), line(1));
    const argv = ['check', '--data', folders.data, '--endpoints', folders.endpoints];
    const check = async () => {
      const { stdout, stderr } = await runProgram(folders, argv, { cache: cacheDir });
      return stdout + stderr;
    };
    expect(await check()).toContain(stays(entry));
    expect(await check()).not.toContain('stays');
    expect(readdirSync(entry).sort()).toEqual(Object.keys(foreign).sort());
  });

  test('clears entries that disappear at the same time', async () => {
    for (let id = 0; id < 300; id += 1) {
      writeEntry(join(cacheDir, id.toString(16).padStart(32, '0')));
    }
    const all = await Promise.all([clear(), clear(), clear()]);
    expect(all.map(({ code, stderr }) => `${code}${stderr}`)).toEqual(['0', '0', '0']);
    expect(readdirSync(cacheDir)).toEqual([]);
  });
});
