import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { line, lines } from '../support/refresh-fixture.js';
import {
  cacheFiles,
  childrenOf,
  type Folders,
  makeFolders,
  type ProgramOptions,
  runProgram,
  startServer,
} from '../support/run-program.js';

const folders = makeFolders();
const db = join(folders.data, 'db_logs.ndjson');
beforeAll(() => {
  writeFileSync(db, lines(0, 3));
  writeFileSync(join(folders.data, 'edge_logs.ndjson'), lines(0, 2_000));
});
afterAll(folders.remove);

async function ids(options: ProgramOptions = {}, of: Folders = folders): Promise<string> {
  const argv = ['query', 'ids', '--data', of.data, '--endpoints', of.endpoints, '--format', 'csv'];
  const { code, stdout, stderr } = await runProgram(
    of,
    [...argv, ...(options.flags ?? [])],
    options,
  );
  if (code !== 0) throw new Error(stderr);
  return stdout.trim().split(/\s+/).slice(1).join(' ');
}

function databases(): readonly string[] {
  return cacheFiles(folders.cache, '.duckdb');
}

/** The output of `check` without its summary. */
async function warnings(options: ProgramOptions = {}): Promise<string> {
  const argv = ['check', '--data', folders.data, '--endpoints', folders.endpoints];
  const { stdout } = await runProgram(folders, argv, options);
  return stdout.replace(/^\d+ endpoints, 0 errors\n/m, '');
}

describe('the next start', () => {
  test('opens the stored tables, which only this user can read', async () => {
    expect(await ids()).toBe('r2 r1 r0');
    const [file = ''] = databases();
    const { ino, mtimeMs } = statSync(file);
    expect(await ids()).toBe('r2 r1 r0');
    expect(databases()).toEqual([file]);
    expect(statSync(file)).toMatchObject({ ino, mtimeMs });
    for (const folder of [folders.cache, dirname(file)]) {
      expect(statSync(folder).mode & 0o777).toBe(0o700);
    }
    expect(readdirSync(folders.temporary)).toEqual([]);
  });

  test('loads changes made in the meantime', async () => {
    appendFileSync(db, line(3));
    expect(await ids()).toBe('r3 r2 r1 r0');
    writeFileSync(db, lines(5, 7));
    expect(await ids()).toBe('r6 r5');
    // The edge logs have not changed, so their first file is still used.
    expect(databases()).toHaveLength(2);
  });

  const damages: readonly [string, (file: string) => void][] = [
    ['a byte', (file) => writeFileSync(file, readFileSync(file).fill(0x5a, 40_000, 40_001))],
    ['its beginning', (file) => writeFileSync(file, readFileSync(file).fill(0, 0, 4_096))],
    ['all of it', (file) => rmSync(file)],
  ];

  test.each(damages)(
    'reloads a database file that has lost %s, and warns',
    async (_what, damage) => {
      for (const file of databases()) damage(file);
      expect(await warnings()).toBe('the disk cache was damaged; everything was reloaded\n');
      expect(await warnings()).toBe('');
      expect(await ids()).toBe('r6 r5');
      expect(databases()).toHaveLength(1);
    },
  );
});

describe('a cache folder that cannot be used', () => {
  const folderNames = [
    ['a file', 'file'],
    ['below a file', 'file/cache'],
    ['with a question mark', 'what?'],
  ] as const;

  test.each(folderNames)('%s: warns, and works without it', async (_what, name) => {
    const file = join(folders.root, 'file');
    writeFileSync(file, '');
    const cache = join(folders.root, name);
    expect(await warnings({ cache })).toMatch(
      /^the disk cache in \S* cannot be used \((E\w+|a question mark in its path)\);.*\n$/,
    );
    expect(await ids({ cache })).toBe('r6 r5');
    expect([statSync(file).size, readdirSync(folders.temporary)]).toEqual([0, []]);
  });
});

test('--no-disk-cache leaves no files', async () => {
  const cache = join(folders.root, 'none');
  expect(await ids({ cache, flags: ['--no-disk-cache'] })).toBe('r6 r5');
  expect([existsSync(cache), readdirSync(folders.temporary)]).toEqual([false, []]);
});

test('concurrent starts return the right rows, and so does the next start', async () => {
  const cache = join(folders.root, 'both');
  const both = await Promise.all([ids({ cache }), ids({ cache }), ids({ cache })]);
  expect(both).toEqual(['r6 r5', 'r6 r5', 'r6 r5']);
  expect(await warnings({ cache })).toBe('');
  expect(await ids({ cache })).toBe('r6 r5');
  expect(cacheFiles(cache, '.duckdb')).toHaveLength(1);
});

describe('during a long load', () => {
  const large = makeFolders();
  beforeAll(() => {
    const metadata = { request: { path: '/a', url: `https://acme.example/${'x'.repeat(900)}` } };
    const text = Array.from({ length: 40_000 }, (_, id) =>
      line((id * 7919) % 40_000, { metadata }),
    );
    writeFileSync(join(large.data, 'edge_logs.ndjson'), text.join(''));
    writeFileSync(join(large.data, 'db_logs.ndjson'), lines(0, 2));
  });
  afterAll(large.remove);

  test('a full disk is reported, and no file is left behind', async () => {
    await expect(ids({ prefix: 'ulimit -f 2000;' }, large)).rejects.toThrow(
      /^the log files cannot be loaded: no space is left for /,
    );
    expect(cacheFiles(large.cache, '.duckdb')).toEqual([]);
    expect(cacheFiles(large.cache, '.spill')).toEqual([]);
    expect(readdirSync(large.temporary)).toEqual([]);
  });

  test('the files of a killed start are not used', async () => {
    const killed = startServer(large);
    killed.catch(() => undefined);
    const isBuilding = () =>
      cacheFiles(large.cache, '.duckdb').some((file) => statSync(file).size > 50_000);
    await expect.poll(isBuilding, { timeout: 60_000, interval: 5 }).toBe(true);
    const [lease = ''] = cacheFiles(large.cache, '.lease');
    const { pid } = JSON.parse(readFileSync(lease, 'utf8'));
    const children = childrenOf(pid);
    for (const each of [pid, ...children]) process.kill(each, 'SIGKILL');
    await expect(killed).rejects.toThrow();
    const [left] = cacheFiles(large.cache, '.duckdb');
    expect(await ids({}, large)).toBe('r1 r0');
    expect(cacheFiles(large.cache, '.duckdb')).toHaveLength(1);
    expect(cacheFiles(large.cache, '.duckdb')).not.toEqual([left]);
    expect(cacheFiles(large.cache, '.lease')).toEqual([]);
    expect(cacheFiles(large.cache, '.spill')).toEqual([]);
  });
});

test('two servers that share a cache do not remove files of each other', async () => {
  const cache = join(folders.root, 'shared');
  const patience = { timeout: 60_000, interval: 50 };
  const count = async (server: typeof one) => (await server.rows('sums'))[0]?.records;
  const one = await startServer(folders, { cache });
  const two = await startServer(folders, { cache, flags: ['--watch'] });
  mkdirSync(join(folders.data, 'edge_logs'));
  for (let round = 1; round <= 5; round += 1) {
    const [from, to] = [round * 11_000, (round + 1) * 11_000];
    writeFileSync(join(folders.data, `edge_logs/${round}.ndjson`), lines(from, to));
    await expect.poll(() => count(two), patience).toBe(2_000 + round * 11_000);
    expect(await count(one)).toBe(2_000);
  }
  // Small parts have been merged.
  await expect.poll(() => cacheFiles(cache, '.duckdb').length, patience).toBeLessThan(6);
  for (const child of childrenOf(one.pid)) process.kill(child, 'SIGKILL');
  expect(await count(one)).toBe(2_000);
  expect(await count(two)).toBe(57_000);
  const listed = async (action: string) =>
    (await runProgram(folders, ['cache', action], { cache })).stdout;
  expect(await listed('clear')).toContain(
    `${folders.data} (in use)\n${cache}: cleared 0 data folders`,
  );
  await Promise.all([one.kill(), two.kill()]);
  expect(await listed('list')).toMatch(/Z {2}[\d.]+ [KM]B {2}\S+\/data\n\S+: 1 data folder, /);
  expect(await listed('clear')).toMatch(/: cleared 1 data folder, [\d.]+ [KM]B\n$/);
  // The key of made ids stays, so that these do.
  expect(cacheFiles(cache, '')).toEqual([join(cache, 'id.key')]);
}, 90_000);

test('a partial line that a server waits for is reported by a check, which does not wait', async () => {
  const cache = join(folders.root, 'half');
  const half = join(folders.data, 'auth_logs.ndjson');
  writeFileSync(half, line(1) + line(2).slice(0, 20));
  const server = await startServer(folders, { cache, flags: ['--watch'] });
  const argv = ['check', '--strict', '--data', folders.data, '--endpoints', folders.endpoints];
  const { code, stderr } = await runProgram(folders, argv, { cache });
  expect([code, stderr]).toEqual([2, 'auth_logs.ndjson:2: not a JSON object\n']);
  appendFileSync(half, line(2).slice(20));
  expect(await runProgram(folders, argv, { cache })).toMatchObject({ code: 0 });
  await server.kill();
});

test('an unknown action for cache is refused with one line', async () => {
  const { code, stdout, stderr } = await runProgram(folders, ['cache', 'empty']);
  expect([code, stdout, stderr]).toEqual([
    2,
    '',
    'Unknown action for cache: empty; expected one of list, clear\n',
  ]);
});
