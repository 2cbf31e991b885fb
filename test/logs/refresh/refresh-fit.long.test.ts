import { appendFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { smallPartRecords } from '../../../src/logs/refresh/drop-parts.js';
import { reportsOf } from '../../../src/logs/store/manifest.js';
import { createRefreshFixture, line, lines } from '../../support/refresh-fixture.js';

const edge = 'edge_logs/a.ndjson';

describe('an undeclared field is stored as in a full load', () => {
  const much = lines(0, smallPartRecords);
  const keys = Object.fromEntries(Array.from({ length: 1001 }, (_, key) => [`k${key}`, 1]));

  test.each([
    ['a number, then text', [{ x: 1 }], [{ x: '2' }], 'reloaded'],
    ['a whole number, then a fraction', [{ x: 1 }], [{ x: 2.5 }], 'reloaded'],
    ['a fraction, then a whole number', [{ x: 2.5 }], [{ x: 1 }], 'alone'],
    ['nothing, then a number', [{ x: null }], [{ x: 5 }], 'reloaded'],
    ['a number, then nothing', [{ x: 5 }], [{ x: null }, {}], 'alone'],
    ['a boolean, then its text', [{ x: true }], [{ x: 'true' }], 'reloaded'],
    ['numbers, then texts', [{ x: [1] }], [{ x: ['2'] }], 'reloaded'],
    ['no elements, then numbers', [{ x: [] }], [{ x: [1] }], 'reloaded'],
    ['a field below, a number, then text', [{ x: { y: 1 } }], [{ x: { y: '2' } }], 'reloaded'],
    ['below metadata a number, then text', [meta({ y: 1 })], [meta({ y: '2' })], 'reloaded'],
    ['an object without fields, again', [{ x: {} }], [{ x: {} }, { x: {} }], 'alone'],
    ['an object without fields, then one', [{ x: {} }], [{ x: { a: 1 } }], 'reloaded'],
    ['lists of lists', [{ x: [[1, 2]] }], [{ x: [[3]] }, { x: 1 }], 'alone'],
    ['text or an object', [{ x: { a: 1 } }, { x: 'a' }], [{ x: { b: 1 } }, { x: 'b' }], 'alone'],
    ['a map', [{ x: keys }], [{ x: { other: 1 } }, { x: { k1: 'a' } }], 'alone'],
    ['two spellings', [{ x: 1 }, { X: 2 }], [{ X: 3 }, { x: 4 }, { X: 5, x: 6 }], 'alone'],
    ['a second spelling', [{ x: 1 }], [{ X: 2 }], 'alone'],
    ['a second spelling of other type', [{ x: 1 }], [{ X: 'a' }], 'reloaded'],
    ['a number too large', ['18446744073709551615'], ['18446744073709551614', '7'], 'alone'],
    ['a number far too large', ['1'], ['98446744073709551614'], 'reloaded'],
    ['a scalar for a record', [meta({ y: 1 }), { metadata: 1 }], [{ metadata: 2 }], 'alone'],
  ] as const)('%s', async (_what, first, then, loaded) => {
    const fixture = createRefreshFixture({ [edge]: much + first.map(withX).join('') });
    await fixture.refresh();
    const size = statSync(fixture.path(edge)).size;
    appendFileSync(fixture.path(edge), then.map(withX).join(''));
    const { loads } = await fixture.refresh();
    const alone = `${edge} from ${size}`;
    expect(loads).toEqual(loaded === 'reloaded' ? [alone, edge] : [alone]);
    const reloaded = await fixture.reload();
    expect(fixture.manifest().schemas).toEqual(reloaded.schemas);
    expect(await fixture.rowsOf()).toEqual(await fixture.rowsOf(reloaded));
    expect(reportsOf(fixture.manifest())).toEqual(reportsOf(reloaded));
    fixture.remove();
  });

  test('warnings about its records stay', async () => {
    const fixture = createRefreshFixture({ [edge]: much + withX({ x: keys }) });
    await fixture.refresh();
    const { warnings } = fixture.manifest();
    expect(Object.values(warnings).flat()).toHaveLength(1);
    appendFileSync(fixture.path(edge), line(smallPartRecords));
    await fixture.refresh();
    expect(fixture.manifest().warnings).toEqual(warnings);
    fixture.remove();
  });

  function meta(request: object) {
    return { metadata: { request } };
  }

  /** A record with additional fields; a string is the number in its field `x`. */
  function withX(more: object | string): string {
    if (typeof more !== 'string') return line(smallPartRecords, more);
    return line(smallPartRecords, { x: 0 }).replace('"x":0', `"x":${more}`);
  }
});

describe('fields that only a removed file had are hidden', () => {
  const much = lines(0, smallPartRecords);
  const [stays, goes] = ['edge_logs/a.ndjson', 'edge_logs/b.ndjson'];
  const last = 'edge_logs/c.ndjson';
  const list = [{ path: '/a' }, { path: '/b' }];
  const map = (prefix: string, size: number) =>
    Object.fromEntries(Array.from({ length: size }, (_, key) => [`${prefix}${key}`, key]));

  test.each([
    ['a field', {}, { x: 1 }, 'alike'],
    ['a declared field', {}, { metadata: { request: { path: '/' } } }, 'alike'],
    ['a field of a record', { x: { a: 1 } }, { x: { b: 1 } }, 'alike'],
    ['a fraction', { x: 1 }, { x: 2.5 }, 'reloaded'],
    ['text beside numbers', { x: 1 }, { x: 'a' }, 'reloaded'],
    ['text beside records', { x: { a: { b: [1] } } }, { x: 'a' }, 'reloaded'],
    [
      'a list of records',
      { metadata: { request: list[0] } },
      { metadata: { request: list } },
      'alike',
    ],
    ['too many keys for fields', { x: map('a', 600) }, { x: map('b', 600) }, 'reloaded'],
    ['a spelling that came first', { X: 1 }, { x: 2 }, 'reloaded'],
    [
      'nothing',
      { x: 1, metadata: { request: list } },
      { x: 2, metadata: { request: list } },
      'alike',
    ],
  ] as const)('%s', async (what, staying, going, kept) => {
    const both = line(smallPartRecords, going) + line(smallPartRecords + 1, staying);
    const fixture = createRefreshFixture({ [goes]: much + both });
    await fixture.refresh();
    writeFileSync(
      fixture.path(stays),
      lines(5_000, 5_000 + smallPartRecords) + line(9_000, staying),
    );
    expect((await fixture.refresh()).loads).toEqual([stays]);
    expect(fixture.manifest().warnings).toEqual((await fixture.reload()).warnings);
    rmSync(fixture.path(goes));
    expect((await fixture.refresh()).loads).toEqual(kept === 'alike' ? [] : [stays]);
    const reloaded = await fixture.reload();
    expect([what, fixture.shown()]).toEqual([what, fixture.shown(reloaded)]);
    expect(fixture.manifest().warnings).toEqual(reloaded.warnings);
    fixture.remove();
  });

  test.each([
    ['a field', (name: string) => ({ [name]: 1 })],
    ['a field of a record', (name: string) => ({ metadata: { request: { [name]: 1 } } })],
  ] as const)(
    '%s in the spelling that came first, although other files have it too',
    async (_what, own) => {
      const fixture = createRefreshFixture({ [goes]: much + line(9_000, own('Own')) });
      await fixture.refresh();
      const turns = line(9_001, own('own')) + line(9_002, own('Own'));
      writeFileSync(fixture.path(last), lines(5_000, 5_000 + smallPartRecords) + turns);
      expect((await fixture.refresh()).loads).toEqual([last]);
      expect(fixture.shown()).toEqual(fixture.shown(await fixture.reload()));
      rmSync(fixture.path(goes));
      expect((await fixture.refresh()).loads).toEqual([last]);
      expect(fixture.shown()).toEqual(fixture.shown(await fixture.reload()));
      fixture.remove();
    },
  );

  test('without reloading anything if other lines are added at the same time, or later', async () => {
    const fixture = createRefreshFixture({ [goes]: much + line(9_000, { x: 1, y: 1 }) });
    await fixture.refresh();
    writeFileSync(fixture.path(stays), lines(5_000, 5_000 + smallPartRecords));
    await fixture.refresh();
    rmSync(fixture.path(goes));
    writeFileSync(fixture.path(last), line(9_001));
    expect((await fixture.refresh()).loads).toEqual([last]);
    appendFileSync(fixture.path(last), line(9_002, { y: 2 }));
    expect((await fixture.refresh()).loads).toEqual([last]);
    expect(fixture.shown()).toEqual(fixture.shown(await fixture.reload()));
    expect((await fixture.columns()).length).toBe(fixture.manifest().schemas.length);
    fixture.remove();
  });

  /** Parts of two files and of the last lines, which share fields only with the first file, which is removed. */
  async function inLastLines() {
    const fixture = createRefreshFixture({ [goes]: much + line(9_000, { y: 1, x: 1 }) });
    await fixture.refresh();
    writeFileSync(fixture.path(stays), lines(5_000, 5_000 + smallPartRecords));
    await fixture.refresh();
    writeFileSync(fixture.path(last), line(9_001, { x: 1 }) + line(9_002, { y: 1 }));
    await fixture.refresh();
    rmSync(fixture.path(goes));
    expect((await fixture.refresh()).loads).toEqual([]);
    return fixture;
  }

  test('unless the last lines, which are loaded alone, have them', async () => {
    const fixture = await inLastLines();
    appendFileSync(fixture.path(last), line(9_003, { x: 2 }));
    expect((await fixture.refresh()).loads).toEqual([last]);
    const reloaded = await fixture.reload();
    expect(fixture.shown()).toEqual(fixture.shown(reloaded));
    expect((await fixture.columns()).length).toBe(fixture.manifest().schemas.length);
    fixture.remove();
  });

  test('also if the last lines had them and are removed while others are added', async () => {
    const fixture = await inLastLines();
    rmSync(fixture.path(last));
    const end = statSync(fixture.path(stays)).size;
    appendFileSync(fixture.path(stays), line(9_003));
    expect((await fixture.refresh()).loads).toEqual([`${stays} from ${end}`]);
    expect(fixture.shown()).toEqual(fixture.shown(await fixture.reload()));
    fixture.remove();
  });

  test('a large file without records does not affect how others are stored', async () => {
    const fixture = createRefreshFixture({ [stays]: 'no record\n'.repeat(900_000) });
    await fixture.refresh();
    writeFileSync(fixture.path(goes), line(9_000, { x: 1 }));
    await fixture.refresh();
    const reloaded = await fixture.reload();
    expect(fixture.manifest().schemas).toEqual(reloaded.schemas);
    expect(await fixture.columns()).toEqual(await fixture.columns(reloaded));
    fixture.remove();
  });
});
