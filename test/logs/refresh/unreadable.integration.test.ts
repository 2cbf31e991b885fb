import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRefreshFixture, line, lines } from '../../support/refresh-fixture.js';

/** Root reads every file, so these tests run as somebody else. */
const canBecomeNobody = process.getuid?.() === 0 && typeof process.seteuid === 'function';
const nobody = 65_534;

describe.skipIf(!canBecomeNobody && process.getuid?.() === 0)('a file that cannot be read', () => {
  const [old, live] = ['edge_logs/old.ndjson', 'edge_logs/live.ndjson'];
  const odd = { metadata: { b: { d: 'x', 'ada@example.com': { n: 1.5 } } } };
  const typed = { metadata: { a: 1, b: { c: 3 }, l: [1, 2] } };
  const oldLines = lines(0, 3) + line(3, odd) + line(4, typed);
  let fixture: ReturnType<typeof createRefreshFixture>;

  /** Refreshes as nobody, who has a temporary folder too. */
  async function refresh() {
    give(fixture.data);
    const { TMPDIR = '' } = process.env;
    if (canBecomeNobody) process.seteuid?.(nobody);
    process.env['TMPDIR'] = fixture.store;
    try {
      return await fixture.refresh();
    } finally {
      if (canBecomeNobody) process.seteuid?.(0);
      process.env['TMPDIR'] = TMPDIR;
      if (canBecomeNobody) process.seteuid?.(0);
    }
  }

  /** Gives a folder and all that is in it to nobody. */
  function give(path: string): void {
    if (canBecomeNobody) chownSync(path, nobody, nobody);
    if (!statSync(path).isDirectory()) return;
    for (const name of readdirSync(path)) give(join(path, name));
  }

  const rowsOf = async (id: number) =>
    (await fixture.rowsOf()).filter((row) => row.includes(`"r${id}"`));
  const ids = async () =>
    (await fixture.rowsOf()).map((row) => /"id":"(\w+)"/.exec(row)?.[1]).sort();
  const idsOf = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, place) => `r${from + place}`);
  const unreadable = () =>
    fixture.manifest().files.flatMap((file) => (file.unreadable ? [file.name] : []));

  beforeEach(async () => {
    fixture = createRefreshFixture({ [old]: oldLines, [live]: lines(10, 12) });
    give(fixture.store);
    chmodSync(tmpdir(), 0o711);
    await refresh();
    chmodSync(fixture.path(old), 0o000);
  });
  afterEach(() => {
    fixture.remove();
  });

  test('keeps its records until it can be read', async () => {
    const before = await ids();
    await refresh();
    expect(unreadable()).toEqual([old]);
    expect(await ids()).toEqual(before);
    expect((await refresh()).isSame).toBe(true);
    chmodSync(fixture.path(old), 0o644);
    expect((await refresh()).loads).toEqual([]);
    expect(unreadable()).toEqual([]);
    expect(await ids()).toEqual(before);
  });

  test('keeps them while lines are appended to other files and files are added', async () => {
    appendFileSync(fixture.path(live), line(12));
    await refresh();
    writeFileSync(fixture.path('edge_logs/new.ndjson'), line(20));
    await refresh();
    expect(await ids()).toEqual([...idsOf(0, 5), ...idsOf(10, 13), 'r20'].sort());
    chmodSync(fixture.path(old), 0o644);
    appendFileSync(fixture.path(old), line(5));
    await refresh();
    expect(await ids()).toEqual([...idsOf(0, 6), ...idsOf(10, 13), 'r20'].sort());
  });

  test('keeps them when it is renamed, and loses them when it is gone', async () => {
    renameSync(fixture.path(old), fixture.path('edge_logs/older.ndjson'));
    await refresh();
    expect(unreadable()).toEqual(['edge_logs/older.ndjson']);
    expect(await ids()).toEqual([...idsOf(0, 5), ...idsOf(10, 12)].sort());
    rmSync(fixture.path('edge_logs/older.ndjson'));
    await refresh();
    expect(unreadable()).toEqual([]);
    expect(await ids()).toEqual(idsOf(10, 12));
  });

  test('another file that is gone or rewritten goes when it can be read', async () => {
    writeFileSync(fixture.path(live), line(30));
    await refresh();
    expect(await ids()).toEqual([...idsOf(0, 5), ...idsOf(10, 12), 'r30'].sort());
    rmSync(fixture.path(live));
    await refresh();
    expect(await ids()).toEqual([...idsOf(0, 5), ...idsOf(10, 12)].sort());
    chmodSync(fixture.path(old), 0o644);
    await refresh();
    expect(await ids()).toEqual(idsOf(0, 5));
  });

  test.each([
    ['a field', { metadata: { b: { n: 1 } }, more: { a: 'b' } }],
    ['a list of records', { metadata: [{ b: [{ c: 1 }, { c: 2 }] }, { a: 2 }] }],
    ['another type', { metadata: { a: 1.5, b: { c: '9' }, l: ['x'] } }],
    ['a text in place of a record', { metadata: { a: 'x', b: 'y', l: 'z' } }],
  ])('%s that no record had before', async (_what, more) => {
    appendFileSync(fixture.path(live), line(12, more));
    await refresh();
    expect(unreadable()).toEqual([old]);
    const carried = await fixture.rowsOf();
    appendFileSync(fixture.path(live), line(13));
    await refresh();
    expect(await fixture.rowsOf()).toEqual([...carried, ...(await rowsOf(13))].sort());
    chmodSync(fixture.path(old), 0o644);
    const reloaded = await fixture.rowsOf(await fixture.reload());
    expect(await fixture.rowsOf()).toEqual(reloaded);
    await refresh();
    expect(await fixture.rowsOf()).toEqual(reloaded);
  });

  test('while it is loaded', async () => {
    const before = await ids();
    chmodSync(fixture.path(old), 0o644);
    appendFileSync(fixture.path(old), line(5));
    fixture.beforeLoad(() => chmodSync(fixture.path(old), 0o000));
    await refresh();
    expect(unreadable()).toEqual([old]);
    expect(await ids()).toEqual(before);
  });

  test.each([0o000, 0o444])(
    'in a folder of mode %o, while another source is loaded',
    async (mode) => {
      chmodSync(fixture.path('edge_logs'), mode);
      mkdirSync(fixture.path('db_logs'));
      writeFileSync(fixture.path('db_logs/a.ndjson'), line(40));
      await refresh();
      expect(unreadable().sort()).toEqual([live, old]);
      expect(await ids()).toEqual([...idsOf(0, 5), ...idsOf(10, 12), 'r40'].sort());
      chmodSync(fixture.path('edge_logs'), 0o755);
      await refresh();
      expect(unreadable()).toEqual([old]);
    },
  );

  test('a file that never could be read has no records to keep', async () => {
    writeFileSync(fixture.path('edge_logs/new.ndjson'), line(50));
    chmodSync(fixture.path('edge_logs/new.ndjson'), 0o000);
    await refresh();
    expect(unreadable()).toEqual([old]);
  });
});

test.runIf(process.platform === 'linux')('a file whose bytes cannot be read', async () => {
  const fixture = createRefreshFixture({ 'edge_logs.ndjson': lines(0, 5) });
  await fixture.refresh();
  const before = await fixture.rowsOf();
  rmSync(fixture.path('edge_logs.ndjson'));
  // Reading it fails with EIO.
  symlinkSync('/proc/self/mem', fixture.path('edge_logs.ndjson'));
  await fixture.refresh();
  expect(fixture.manifest().files).toMatchObject([{ unreadable: 'EIO' }]);
  expect(await fixture.rowsOf()).toEqual(before);
  fixture.remove();
});
