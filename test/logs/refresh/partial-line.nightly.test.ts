import { appendFileSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { fileReports } from '../../../src/logs/store/manifest.js';
import { createRefreshFixture, line, lines } from '../../support/refresh-fixture.js';

const edge = 'edge_logs/a.ndjson';

describe('a partial line', () => {
  test('is left until it is completed', async () => {
    const fixture = createRefreshFixture({ [edge]: lines(0, 3) });
    await fixture.refresh();
    const whole = line(3);
    appendFileSync(fixture.path(edge), whole.slice(0, 20));
    await fixture.refresh();
    expect(fileReports(fixture.manifest())[0]).toMatchObject({ records: 3, badLines: 0 });
    expect((await fixture.refresh()).isSame).toBe(true);
    appendFileSync(fixture.path(edge), whole.slice(20));
    await fixture.refresh();
    expect(fileReports(fixture.manifest())[0]).toMatchObject({ records: 4, badLines: 0 });
    fixture.remove();
  });

  test('is bad without watching, and a record once it is completed', async () => {
    const fixture = createRefreshFixture({ [edge]: lines(0, 3) + line(3).slice(0, 20) }, false);
    await fixture.refresh();
    expect(fileReports(fixture.manifest())[0]).toMatchObject({ records: 3, badLines: 1 });
    appendFileSync(fixture.path(edge), line(3).slice(20));
    await fixture.refresh();
    expect(fileReports(fixture.manifest())[0]).toMatchObject({ records: 4, badLines: 0 });
    fixture.remove();
  });

  test.each([
    ['after many lines', lines(0, 4_000) + line(1).slice(0, 20)],
    ['after few lines', lines(0, 3) + line(1).slice(0, 20)],
    ['alone', line(1).slice(0, 20)],
    ['after a byte order mark', `\ufeff${lines(0, 3)}${line(1).slice(0, 20)}`],
    ['after bad lines', `no\n${'bad\n'.repeat(6)}{`],
  ])(
    '%s is reported by a process that does not wait, whichever process loaded it',
    async (_what, text) => {
      const fixture = createRefreshFixture({ [edge]: text, 'auth_logs.ndjson': '' });
      for (const awaitsLines of [true, false, true, false, false, true]) {
        await fixture.refresh({ awaitsLines });
        const reloaded = await fixture.reload({ awaitsLines });
        expect(fileReports(fixture.manifest())).toEqual(fileReports(reloaded));
        expect(await fixture.rowsOf()).toEqual(await fixture.rowsOf(reloaded));
        expect(await fixture.refresh({ awaitsLines })).toEqual({ loads: [], isSame: true });
      }
      appendFileSync(fixture.path(edge), `${line(1).slice(20)}${line(2)}`);
      await fixture.refresh();
      expect(fileReports(fixture.manifest())).toEqual(fileReports(await fixture.reload()));
      fixture.remove();
    },
  );

  test('is a record if it is already complete JSON', async () => {
    const fixture = createRefreshFixture({ [edge]: lines(0, 3).trimEnd() });
    await fixture.refresh();
    expect(fileReports(fixture.manifest())[0]).toMatchObject({ records: 3, badLines: 0 });
    appendFileSync(fixture.path(edge), `\n${line(4)}`);
    await fixture.refresh();
    expect(await fixture.rowsOf()).toEqual(await fixture.rowsOf(await fixture.reload()));
    fixture.remove();
  });
});

test('a line of a .json file is not an array of records, unless it is the first', async () => {
  const name = 'edge_logs/a.json';
  const fixture = createRefreshFixture({ [name]: lines(0, 4_000) });
  await fixture.refresh();
  appendFileSync(fixture.path(name), `[${line(4_000).trimEnd()}]\n`);
  await fixture.refresh();
  expect(fileReports(fixture.manifest())).toMatchObject([{ records: 4_000, badLines: 1 }]);
  expect(fileReports(fixture.manifest())).toEqual(fileReports(await fixture.reload()));
  fixture.remove();
});

test('a file with only bad lines is unreadable, in however many pieces it was written', async () => {
  const fixture = createRefreshFixture({ [edge]: '\n'.repeat(9_000_000) });
  await fixture.refresh();
  appendFileSync(fixture.path(edge), 'no\n');
  await fixture.refresh();
  expect(fileReports(fixture.manifest())).toMatchObject([{ records: 0, readable: false }]);
  expect(fileReports(fixture.manifest())).toEqual(fileReports(await fixture.reload()));
  fixture.remove();
});

describe('a file that is being copied', () => {
  const [first, second] = [lines(0, 40), lines(40, 80)].map((text) => gzipSync(text));
  const all = Buffer.concat([first ?? '', second ?? ''].map((each) => Buffer.from(each)));
  test.each([
    ['its first bytes', 0, 5],
    ['half of it', 0, all.length / 2],
    ['all but its last byte', 0, all.length - 1],
    ['its first bytes, with space allocated for the rest', all.length, 100],
  ])('%s: is reported as truncated, and loaded once it is complete', async (_what, room, end) => {
    const [name, beside] = ['auth_logs/a.ndjson.gz', 'auth_logs/b.ndjson'];
    const fixture = createRefreshFixture({ [beside]: lines(80, 90) });
    await fixture.refresh();
    const start = all.subarray(0, end);
    const rest = Buffer.alloc(Math.max(0, room - start.length));
    writeFileSync(fixture.path(name), Buffer.concat([start, rest]));
    await fixture.refresh();
    expect(fileReports(fixture.manifest())).toMatchObject([
      {
        file: name,
        records: 0,
        readable: false,
        faults: [{ message: expect.stringContaining('gzip file') }],
      },
      { file: beside, records: 10 },
    ]);
    expect(await fixture.rowsOf()).toHaveLength(10);
    writeFileSync(fixture.path(name), all);
    await fixture.refresh();
    expect(fileReports(fixture.manifest())).toMatchObject([
      { records: 80, faults: [], readable: true },
      { records: 10 },
    ]);
    expect(await fixture.rowsOf()).toHaveLength(90);
    fixture.remove();
  });
});
