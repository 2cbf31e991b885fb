import { appendFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { tinyPartRecords } from '../../../src/logs/refresh/drop-parts.js';
import { fileReports } from '../../../src/logs/store/manifest.js';
import { createRefreshFixture, line, lines } from '../../support/refresh-fixture.js';

const edge = 'edge_logs/a.ndjson';

describe('an undeclared field is stored as in a full load', () => {
  const much = lines(0, tinyPartRecords);
  const keys = Object.fromEntries(Array.from({ length: 2100 }, (_, key) => [`k${key}`, 1]));

  test.each([
    ['a number, then text', [{ x: 1 }], [{ x: '2' }], 'reloaded'],
    ['a whole number, then a fraction', [{ x: 1 }], [{ x: 2.5 }], 'reloaded'],
    ['a fraction, then a whole number', [{ x: 2.5 }], [{ x: 1 }], 'alone'],
    ['nothing, then a number', [{ x: null }], [{ x: 5 }], 'alone'],
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
    ['a map', [{ x: keys }], [{ x: { other: 1 } }], 'alone'],
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
    expect(fileReports(fixture.manifest())).toEqual(fileReports(reloaded));
    fixture.remove();
  });

  test('warnings about its records stay', async () => {
    const fixture = createRefreshFixture({ [edge]: much + withX({ x: keys }) });
    await fixture.refresh();
    const { warnings } = fixture.manifest();
    expect(Object.values(warnings).flat()).toHaveLength(1);
    appendFileSync(fixture.path(edge), line(tinyPartRecords));
    await fixture.refresh();
    expect(fixture.manifest().warnings).toEqual(warnings);
    fixture.remove();
  });

  function meta(request: object) {
    return { metadata: { request } };
  }

  /** A record with additional fields; a string is the number in its field `x`. */
  function withX(more: object | string): string {
    if (typeof more !== 'string') return line(tinyPartRecords, more);
    return line(tinyPartRecords, { x: 0 }).replace('"x":0', `"x":${more}`);
  }
});

describe('a source is reloaded without the fields that only a removed file had', () => {
  const much = lines(0, tinyPartRecords);
  const [stays, goes] = ['edge_logs/a.ndjson', 'edge_logs/b.ndjson'];
  const last = 'edge_logs/c.ndjson';
  const list = [{ path: '/a' }, { path: '/b' }];
  const map = (prefix: string, size: number) =>
    Object.fromEntries(Array.from({ length: size }, (_, key) => [`${prefix}${key}`, key]));

  test.each([
    ['a field', {}, { x: 1 }, 'reloaded'],
    ['a declared field', {}, { metadata: { request: { path: '/' } } }, 'reloaded'],
    ['a field of a record', { x: { a: 1 } }, { x: { b: 1 } }, 'reloaded'],
    ['a fraction', { x: 1 }, { x: 2.5 }, 'reloaded'],
    ['text beside numbers', { x: 1 }, { x: 'a' }, 'reloaded'],
    ['text beside records', { x: { a: { b: [1] } } }, { x: 'a' }, 'reloaded'],
    [
      'a list of records',
      { metadata: { request: list[0] } },
      { metadata: { request: list } },
      'reloaded',
    ],
    ['many keys', { x: map('a', 100) }, { x: map('b', 100) }, 'reloaded'],
    ['a spelling that came first', { X: 1 }, { x: 2 }, 'reloaded'],
    [
      'nothing',
      { x: 1, metadata: { request: list } },
      { x: 2, metadata: { request: list } },
      'alike',
    ],
  ] as const)('%s', async (what, staying, going, kept) => {
    const both = line(tinyPartRecords, going) + line(tinyPartRecords + 1, staying);
    const fixture = createRefreshFixture({ [goes]: much + both });
    await fixture.refresh();
    writeFileSync(
      fixture.path(stays),
      lines(5_000, 5_000 + tinyPartRecords) + line(9_000, staying),
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

  test('and with other lines that are added at the same time', async () => {
    const fixture = createRefreshFixture({ [goes]: much + line(9_000, { x: 1, y: 1 }) });
    await fixture.refresh();
    writeFileSync(fixture.path(stays), lines(5_000, 5_000 + tinyPartRecords));
    await fixture.refresh();
    rmSync(fixture.path(goes));
    writeFileSync(fixture.path(last), line(9_001, { y: 2 }));
    expect((await fixture.refresh()).loads).toEqual([last, stays, last]);
    expect(fixture.manifest().schemas).toEqual((await fixture.reload()).schemas);
    expect((await fixture.columns()).length).toBe(fixture.manifest().schemas.length);
    fixture.remove();
  });

  test('a large file without records does not affect how others are stored', async () => {
    const fixture = createRefreshFixture({ [stays]: 'no record\n'.repeat(900_000) });
    await fixture.refresh();
    writeFileSync(fixture.path(goes), line(9_000, { x: 1 }));
    await fixture.refresh();
    const reloaded = await fixture.reload();
    expect(fixture.manifest().schemas).toEqual(reloaded.schemas);
    expect(await fixture.rowsOf()).toEqual(await fixture.rowsOf(reloaded));
    fixture.remove();
  });
});
