import {
  appendFileSync,
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fileReports } from '../../../src/logs/store/manifest.js';
import { isFullLength, nightly, sample } from '../../support/nightly.js';
import { createRefreshFixture, line, lines } from '../../support/refresh-fixture.js';

const edge = 'edge_logs/a.ndjson';

/** Overwrites like `cp` and in-place editors: the inode and the size stay the same. */
function overwrite(path: string, from: string, to: string): void {
  const file = openSync(path, 'r+');
  writeSync(file, to, readFileSync(path, 'utf8').indexOf(from));
  closeSync(file);
}

const [good, bad] = ['auth_logs/good.ndjson', 'auth_logs/bad.ndjson'];

function exchange({ path }: ReturnType<typeof createRefreshFixture>): void {
  renameSync(path(good), path('auth_logs/other'));
  renameSync(path(bad), path(good));
  renameSync(path('auth_logs/other'), path(bad));
}

describe('a change', () => {
  type Fixture = ReturnType<typeof createRefreshFixture>;
  const changes: readonly (readonly [string, (fixture: Fixture) => void, readonly string[]])[] = [
    ['nothing', () => {}, []],
    ['lines at the end', ({ path }) => appendFileSync(path(edge), line(20)), [`${edge} from 0`]],
    [
      'a new file',
      ({ path }) => writeFileSync(path('edge_logs/b.ndjson'), line(20)),
      [edge, 'edge_logs/b.ndjson'],
    ],
    [
      'a new source',
      ({ path }) => writeFileSync(path('auth_logs.ndjson'), line(20)),
      ['auth_logs.ndjson'],
    ],
    ['a removed file', ({ path }) => rmSync(path('db_logs.ndjson')), []],
    ['a truncated file', ({ path }) => truncateSync(path(edge), line(0).length), [edge]],
    ['a file with other lines', ({ path }) => writeFileSync(path(edge), lines(30, 42)), [edge]],
    ['a new name', ({ path }) => renameSync(path(edge), path('edge_logs/z.ndjson')), []],
    ['exchanged names', exchange, []],
    [
      'a line that needs another schema',
      ({ path }) => appendFileSync(path(edge), line(20, { extra: { a: 1 } })),
      [edge, edge],
    ],
    [
      'a record that is a list',
      ({ path }) =>
        appendFileSync(
          path(edge),
          line(20, { metadata: [{ request: [{ path: '/a' }] }, { request: [{ path: '/b' }] }] }),
        ),
      [edge, edge],
    ],
    ['a bad line', ({ path }) => appendFileSync(path(edge), 'no\n'), [`${edge} from 0`]],
  ];

  test.each(sample(changes, 3))('%s: the records are those of the files', async (_what, change) => {
    const fixture = createRefreshFixture({
      [edge]: lines(0, 10),
      'db_logs.ndjson': lines(10, 15),
      [good]: lines(15, 18),
      [bad]: `${lines(18, 19)}no\n`,
    });
    await fixture.refresh();
    change(fixture);
    const { isSame } = await fixture.refresh();
    expect(isSame).toBe(_what === 'nothing');
    const reloaded = await fixture.reload();
    expect(await fixture.rowsOf()).toEqual(await fixture.rowsOf(reloaded));
    expect(fileReports(fixture.manifest())).toEqual(fileReports(reloaded));
    expect((await fixture.refresh()).isSame).toBe(true);
    fixture.remove();
  });
});

test.runIf(isFullLength)(
  'lines in the middle of a large file that are overwritten with lines of the same length are loaded',
  async () => {
    const fixture = createRefreshFixture({ [edge]: lines(10_000, 14_000) });
    await fixture.refresh();
    overwrite(fixture.path(edge), line(11_000), line(99_999));
    expect((await fixture.refresh()).loads).toEqual([edge]);
    expect(await fixture.rowsOf()).toEqual(await fixture.rowsOf(await fixture.reload()));
    fixture.remove();
  },
);

test('half a line that is appended starts no load, and is loaded once it is complete', async () => {
  const fixture = createRefreshFixture({ [edge]: lines(0, 10) });
  await fixture.refresh();
  const whole = line(20, { metadata: { text: 'ü\n{' } });
  const bytes = Buffer.from(whole);
  for (let at = 0; at < bytes.length; at += 40) {
    expect(await fixture.refresh()).toEqual({ loads: [], isSame: true });
    expect(fixture.changed()).toEqual([]);
    appendFileSync(fixture.path(edge), bytes.subarray(at, at + 40));
  }
  expect(fixture.changed()).toEqual(['edge_logs']);
  expect((await fixture.refresh()).loads).toEqual([edge]);
  expect(await fixture.rowsOf()).toEqual(await fixture.rowsOf(await fixture.reload()));
  fixture.remove();
});

describe('lines overwritten in the middle and lines appended between two refreshes', () => {
  /** Long enough to contain a sampled block wherever it begins. */
  const stretch = (from: number, of: number) => {
    const first = lines(from, from + of);
    return [first, first.replaceAll('"m', '"M')] as const;
  };
  const overwrites: readonly [string, number, (path: string) => void][] = [
    ['one of few lines', 8_000, (path) => overwrite(path, line(11_000), line(99_999))],
    ['a 31st of many', 20_000, (path) => overwrite(path, ...stretch(13_100, 700))],
    [
      'one line more than before',
      20_000,
      (path) => {
        const [before, after] = readFileSync(path, 'utf8').split(line(13_000));
        writeFileSync(path, `${before}${line(13_000)}${line(99_999)}${after}`);
      },
    ],
  ];

  test.runIf(isFullLength).each(overwrites)(
    '%s: the whole file is reloaded',
    async (_what, count, change) => {
      const fixture = createRefreshFixture({ [edge]: lines(10_900, 10_900 + count) });
      await fixture.refresh();
      change(fixture.path(edge));
      appendFileSync(fixture.path(edge), line(30_000));
      await fixture.refresh();
      expect(await fixture.rowsOf()).toEqual(await fixture.rowsOf(await fixture.reload()));
      fixture.remove();
    },
  );
});

test.runIf(isFullLength)('a failed merge changes nothing and leaves no file', async () => {
  const names = [1, 2, 3, 4, 5].map((round) => `edge_logs/${round}.ndjson`);
  const fixture = createRefreshFixture({ [edge]: line(0) });
  for (const [round, name] of names.entries()) {
    writeFileSync(fixture.path(name), lines(4_000 * round, 4_000 * (round + 1)));
    await fixture.refresh();
  }
  const [before, files] = [fixture.manifest(), fixture.databases()];
  fixture.beforeLoad(() => {
    throw new Error('the disk is full');
  });
  await expect(fixture.merge()).rejects.toThrow('the disk is full');
  expect([fixture.manifest(), fixture.databases()]).toEqual([before, files]);
  await fixture.merge();
  expect(fixture.manifest().parts.length).toBeLessThan(before.parts.length);
  expect(await fixture.rowsOf()).toEqual(await fixture.rowsOf(await fixture.reload()));
  fixture.remove();
});

describe('lines appended to a large file', () => {
  const much = lines(0, 12_000);

  test('are loaded alone, with the right line numbers', async () => {
    const fixture = createRefreshFixture({ [edge]: `\n${much}` });
    await fixture.refresh();
    appendFileSync(fixture.path(edge), `${line(12_001)}\nnot json\n${line('12002')}`);
    const { loads } = await fixture.refresh();
    expect(loads).toEqual([`${edge} from ${much.length + 1}`]);
    expect(fixture.manifest().parts.filter(({ source }) => source === 'edge_logs')).toHaveLength(2);
    const [report] = fileReports(fixture.manifest());
    expect(report).toMatchObject({
      records: 12_002,
      badLines: 1,
      faults: [{ line: 12_004, message: 'not a JSON object' }],
    });
    expect(fileReports(fixture.manifest())).toEqual(fileReports(await fixture.reload()));
    fixture.remove();
  });

  test.runIf(isFullLength)('are kept if another file of the last part is removed', async () => {
    const fixture = createRefreshFixture({ [edge]: much });
    await fixture.refresh();
    appendFileSync(fixture.path(edge), line(12_001));
    writeFileSync(fixture.path('edge_logs/b.ndjson'), line(12_002));
    await fixture.refresh();
    rmSync(fixture.path('edge_logs/b.ndjson'));
    expect((await fixture.refresh()).loads).toEqual([`${edge} from ${much.length}`]);
    const reloaded = await fixture.reload();
    expect(await fixture.rowsOf()).toEqual(await fixture.rowsOf(reloaded));
    expect(fileReports(fixture.manifest())).toEqual(fileReports(reloaded));
    fixture.remove();
  });

  test.runIf(isFullLength)('get the same ids as in a full load', async () => {
    const fixture = createRefreshFixture({ [edge]: much });
    await fixture.refresh();
    appendFileSync(fixture.path(edge), '{"timestamp":1770000000}\n\n{"timestamp":1770000000}\n');
    await fixture.refresh();
    expect(await fixture.rowsOf()).toEqual(await fixture.rowsOf(await fixture.reload()));
    fixture.remove();
  });

  test.runIf(isFullLength)('join the lines appended before, while those are few', async () => {
    const fixture = createRefreshFixture({ [edge]: much });
    await fixture.refresh();
    for (const id of [1, 2, 3]) {
      appendFileSync(fixture.path(edge), line(12_000 + id));
      expect((await fixture.refresh()).loads).toEqual([`${edge} from ${much.length}`]);
    }
    expect(fixture.manifest().parts.filter(({ source }) => source === 'edge_logs')).toHaveLength(2);
    fixture.remove();
  });

  test.runIf(isFullLength)('are merged, so that there are never many parts', async () => {
    const fixture = createRefreshFixture({ [edge]: much });
    await fixture.refresh();
    for (let round = 1; round <= 6; round += 1) {
      const first = 8_000 + 4_000 * round;
      writeFileSync(fixture.path(`edge_logs/${round}.ndjson`), lines(first, first + 4_000));
      await fixture.refresh();
      await fixture.merge();
      const parts = fixture.manifest().parts.filter(({ source }) => source === 'edge_logs');
      expect(parts.length).toBeLessThanOrEqual(4);
    }
    expect((await fixture.refresh()).isSame).toBe(true);
    expect(await fixture.rowsOf()).toEqual(await fixture.rowsOf(await fixture.reload()));
    fixture.remove();
  });
});

test('each line of a file that is written to while it is read is loaded once', async () => {
  const first = nightly(30_000, 3_000);
  const fixture = createRefreshFixture({ [edge]: lines(0, first) });
  let next = first;
  const writer = setInterval(() => appendFileSync(fixture.path(edge), line(next++)), 1);
  await fixture.refresh();
  clearInterval(writer);
  await fixture.refresh();
  const rows = await fixture.rowsOf();
  expect(rows).toHaveLength(next);
  expect(new Set(rows).size).toBe(next);
  fixture.remove();
});

test.each([
  ['.json', '.ndjson', 0],
  ['.ndjson', '.json', 2],
])(
  'an array of records in a file renamed from %s to %s is read by its new name',
  async (before, now, records) => {
    const array = `[${line(0).trim()},${line(1).trim()}]\n`;
    const fixture = createRefreshFixture({ [`edge_logs/a${before}`]: array });
    await fixture.refresh();
    renameSync(fixture.path(`edge_logs/a${before}`), fixture.path(`edge_logs/a${now}`));
    await fixture.refresh();
    expect(await fixture.rowsOf()).toHaveLength(records);
    expect(fileReports(fixture.manifest())).toEqual(fileReports(await fixture.reload()));
    fixture.remove();
  },
);
