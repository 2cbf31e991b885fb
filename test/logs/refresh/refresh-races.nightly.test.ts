import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fileReports } from '../../../src/logs/store/manifest.js';
import { createRefreshFixture, line, lines } from '../../support/refresh-fixture.js';

const edge = 'edge_logs/a.ndjson';

describe('changes between listing a folder and loading', () => {
  type Fixture = ReturnType<typeof createRefreshFixture>;
  const rotate = ({ path }: Fixture) => {
    renameSync(path(edge), path('edge_logs/a-1.ndjson'));
    writeFileSync(path(edge), lines(500, 503));
  };
  const cut = ({ path }: Fixture) => {
    truncateSync(path(edge), 0);
    writeFileSync(path(edge), lines(500, 540));
  };
  const changes: readonly (readonly [string, (fixture: Fixture) => void])[] = [
    ['a log is rotated', rotate],
    ['a log is truncated and grows to the same size', cut],
    ['a log is removed', ({ path }) => rmSync(path(edge))],
    ['a log is replaced', ({ path }) => [rmSync(path(edge)), writeFileSync(path(edge), line(9))]],
  ];

  test.each(changes)('%s: no record is lost or duplicated', async (_what, change) => {
    const fixture = createRefreshFixture({ [edge]: lines(0, 10) });
    await fixture.refresh();
    appendFileSync(fixture.path(edge), lines(10, 20));
    fixture.beforeLoad(() => change(fixture));
    await fixture.refresh();
    await fixture.refresh();
    expect(await fixture.rowsOf()).toEqual(await fixture.rowsOf(await fixture.reload()));
    fixture.remove();
  });
});

describe('something that is not a readable file', () => {
  test.each([
    ['a link to nothing', (path: string) => symlinkSync('/none/here', path)],
    ['a pipe', (path: string) => execFileSync('mkfifo', [path])],
  ])('%s is reported, and everything else is loaded', async (_what, make) => {
    const fixture = createRefreshFixture({ [edge]: lines(0, 3) });
    make(fixture.path('edge_logs/odd.ndjson'));
    await fixture.refresh();
    expect((await fixture.refresh()).isSame).toBe(true);
    appendFileSync(fixture.path(edge), line(3));
    await fixture.refresh();
    expect(fileReports(fixture.manifest())).toMatchObject([
      { records: 4 },
      { records: 0, readable: false },
    ]);
    fixture.remove();
  });
});

test.each<[string, string, boolean, string?]>([
  ['a record', line(1).trimEnd(), true],
  ['a record without watching', line(1).trimEnd(), false],
  ['a partial record', line(1).slice(0, -9), true],
  ['a partial record without watching', line(1).slice(0, -9), false],
  ['a record that only DuckDB accepts', '{"id":"n","timestamp":1770000000,"n":NaN}', true],
  [
    'a record that only DuckDB accepts, without watching',
    '{"timestamp":1770000000,"n":-Infinity}',
    false,
  ],
  ['a comma too many without watching', '{"id":"n","timestamp":1770000000,}', false],
  ['a record with brackets in a text', '{"id":"}\\"}","timestamp":1770000000}', false],
  [
    'a partial record with a bracket in a text',
    '{"timestamp":1770000000,"n":"}\\"}',
    false,
    '"}\n',
  ],
  ['a record that is continued', line(1).trimEnd(), true, `${line(2).trimEnd()}\n`],
  ['a record that is continued later', `${line(1).trimEnd()}  `, true, `,\n`],
  ['blanks', '  ', true, line(1)],
  ['a line that', '', true, `\ufeff${line(1)}`],
  ['an array without watching', '[{"id":"n","timestamp":1770000000}]', false],
])('behind %s without a line break, lines have their numbers', async (_what, last, waits, end?) => {
  const fixture = createRefreshFixture({ [edge]: lines(0, 3_100) + last }, waits);
  await fixture.refresh();
  const rest = end ?? (line(1).startsWith(last) ? line(1).slice(last.length) : '\n');
  appendFileSync(fixture.path(edge), `${rest}{"timestamp":1770000000}\n\nnot json\n`);
  await fixture.refresh();
  const reloaded = await fixture.reload();
  expect(await fixture.rowsOf()).toEqual(await fixture.rowsOf(reloaded));
  expect(fileReports(fixture.manifest())).toEqual(fileReports(reloaded));
  fixture.remove();
});

test('a file with the size and time of another is recognized by its contents', async () => {
  const fixture = createRefreshFixture({ [edge]: lines(10, 20) });
  const at = new Date('2026-03-10T12:00:00Z');
  utimesSync(fixture.path(edge), at, at);
  await fixture.refresh();
  rmSync(fixture.path(edge));
  writeFileSync(fixture.path(edge), lines(20, 30));
  utimesSync(fixture.path(edge), at, at);
  await fixture.refresh();
  expect(await fixture.rowsOf()).toEqual(await fixture.rowsOf(await fixture.reload()));
  fixture.remove();
});
