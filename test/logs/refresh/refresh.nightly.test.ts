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
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tinyPartRecords } from '../../../src/logs/refresh/drop-parts.js';
import { fileReports, type Manifest } from '../../../src/logs/store/manifest.js';
import { randomFrom } from '../../support/random.js';
import { createRefreshFixture, line, lines } from '../../support/refresh-fixture.js';

/** A change to a data folder, as loggers make them. */
const happenings: Readonly<Record<string, (folder: string, name: string, dice: Dice) => void>> = {
  append: (folder, name, { text }) => appendFileSync(join(folder, name), text()),
  'append much': (folder, name, { much }) => appendFileSync(join(folder, name), much()),
  'change the middle': (folder, name) => {
    const text = readFileSync(join(folder, name), 'latin1');
    const at = text.indexOf('"m', text.length / 2) + 2;
    if (at === 1) return;
    const file = openSync(join(folder, name), 'r+');
    writeSync(file, text[at] === '9' ? '8' : '9', at);
    closeSync(file);
  },
  'append half': (folder, name, { text }) =>
    appendFileSync(join(folder, name), text().slice(0, -7)),
  replace: (folder, name, { text }) => {
    rmSync(join(folder, name), { force: true });
    writeFileSync(join(folder, name), text());
  },
  rewrite: (folder, name, { text }) => writeFileSync(join(folder, name), text()),
  remove: (folder, name) => rmSync(join(folder, name), { force: true }),
  rotate: (folder, name, { text }) => {
    appendFileSync(join(folder, name), text());
    renameSync(join(folder, name), join(folder, name.replace('.', '-1.')));
    writeFileSync(join(folder, name), text());
  },
  'copy and cut': (folder, name, { text }) => {
    appendFileSync(join(folder, name), text());
    writeFileSync(join(folder, name.replace('.', '-1.')), readFileSync(join(folder, name)));
    truncateSync(join(folder, name), 0);
  },
};

interface Dice {
  readonly text: () => string;
  /** Enough lines for a part that is never rebuilt. */
  readonly much: () => string;
}

test.each([1, 2])('after any changes, the records are those of the files (%i)', async (seed) => {
  const random = randomFrom(seed);
  const pick = <T>(of: readonly T[]): T => of[random() % of.length] as T;
  const fixture = createRefreshFixture({
    'edge_logs/a.ndjson': lines(0, 11_000),
    'db_logs.ndjson': lines(0, 5),
  });
  let id = 100_000;
  const extras = [
    {},
    {},
    {},
    { metadata: { request: { path: '/x' } } },
    { extra: 1 },
    { extra: 'one' },
    { id: undefined },
    { metadata: [{ a: 1 }, { a: 2 }] },
  ];
  const text = () =>
    Array.from({ length: 1 + (random() % 5) }, () => line(id++, pick(extras))).join('');
  const much = () => {
    id += 3_200;
    return lines(id - 3_200, id);
  };
  const names = ['edge_logs/a.ndjson', 'edge_logs/b.ndjson', 'db_logs.ndjson', 'auth_logs.ndjson'];
  const told: string[] = [];
  for (let round = 0; round < 14; round += 1) {
    for (let many = 1 + (random() % 2); many > 0; many -= 1) {
      const [what, name] = [pick(Object.keys(happenings)), pick(names)];
      told.push(`${what} ${name}`);
      try {
        happenings[what]?.(fixture.data, name, { text, much });
      } catch (error) {
        // A missing file cannot be renamed or truncated.
        expect((error as NodeJS.ErrnoException).code).toBe('ENOENT');
      }
    }
    await fixture.refresh();
    await fixture.merge();
    const reloaded = await fixture.reload();
    expect([told, await fixture.rowsOf()]).toEqual([told, await fixture.rowsOf(reloaded)]);
    expect([told, fileReports(fixture.manifest())]).toEqual([told, fileReports(reloaded)]);
    expect([told, fixture.shown()]).toEqual([told, fixture.shown(reloaded)]);
  }
  fixture.remove();
});

/** Undeclared fields, with values that change the type inferred from others. */
const oddValues = [
  ...[{ x: null }, { x: 1 }, { x: 2.5 }, { x: '3' }, { x: true }],
  ...[{ y: [] }, { y: [null] }, { y: [1] }, { y: ['2'] }, { y: [[1, 2]] }],
  ...[{ z: {} }, { z: { a: null } }, { z: { a: 1 } }, { z: { a: '2' } }, { z: [{ a: 1 }, {}] }],
  ...[{ metadata: { own: 1 } }, { metadata: { own: [1] } }, { metadata: { own: {} } }],
];

test.each([5, 6])(
  'lines written after two large files are stored as in a full load (%i)',
  async (seed) => {
    const random = randomFrom(seed);
    const pick = <T>(of: readonly T[]): T => of[random() % of.length] as T;
    const names = ['edge_logs/a.ndjson', 'edge_logs/b.ndjson', 'edge_logs/c.ndjson'];
    const fixture = createRefreshFixture(
      { 'edge_logs/a.ndjson': lines(0, tinyPartRecords) },
      pick([true, false]),
    );
    await fixture.refresh();
    appendFileSync(fixture.path('edge_logs/b.ndjson'), lines(tinyPartRecords, 2 * tinyPartRecords));
    await fixture.refresh();
    const many = Object.fromEntries(Array.from({ length: 600 }, (_, key) => [`${key}`, key]));
    const others = Object.fromEntries(Object.keys(many).map((key) => [`o${key}`, '']));
    // Few of them, so that later lines often differ from earlier ones.
    const values = Array.from({ length: 6 }, () =>
      pick([...oddValues, { many }, { many: others }]),
    );
    const told: unknown[] = [];
    for (let round = 0; round < 8; round += 1) {
      const [extra, gone] = [pick(values), random() % 3 === 0];
      told.push(extra, gone);
      if (gone) rmSync(fixture.path('edge_logs/c.ndjson'), { force: true });
      const end = pick(['', '', line(9_999_999).slice(0, -9)]);
      const text = line(`${10_000 + round}`, extra) + end;
      appendFileSync(fixture.path(pick(names)), `\n${text}`);
      await fixture.refresh();
      expect(bigParts(fixture.manifest())).toBeGreaterThan(0);
      await fixture.merge();
      const reloaded = await fixture.reload();
      expect([told, await fixture.rowsOf()]).toEqual([told, await fixture.rowsOf(reloaded)]);
      expect([told, fixture.shown()]).toEqual([told, fixture.shown(reloaded)]);
    }
    fixture.remove();
  },
);

function bigParts({ parts }: Manifest): number {
  return parts.filter(({ records }) => records >= tinyPartRecords).length;
}
