import { appendFileSync, statSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fewRecords } from '../src/source/drop-parts.js';
import { reportsOf } from '../src/source/manifest.js';
import { createRefreshFixture, line, lines } from './support/refresh-fixture.js';

const edge = 'edge_logs/a.ndjson';

describe('a field that nobody declared is stored as in a load of everything', () => {
  const much = lines(0, fewRecords);
  const keys = Object.fromEntries(Array.from({ length: 1001 }, (_, key) => [`k${key}`, 1]));

  test.each([
    ['a number, then text', [{ x: 1 }], [{ x: '2' }], 'anew'],
    ['a whole number, then a broken one', [{ x: 1 }], [{ x: 2.5 }], 'anew'],
    ['a broken number, then a whole one', [{ x: 2.5 }], [{ x: 1 }], 'alone'],
    ['nothing, then a number', [{ x: null }], [{ x: 5 }], 'anew'],
    ['a number, then nothing', [{ x: 5 }], [{ x: null }, {}], 'alone'],
    ['a boolean, then its text', [{ x: true }], [{ x: 'true' }], 'anew'],
    ['numbers, then texts', [{ x: [1] }], [{ x: ['2'] }], 'anew'],
    ['no elements, then numbers', [{ x: [] }], [{ x: [1] }], 'anew'],
    ['a field below, a number, then text', [{ x: { y: 1 } }], [{ x: { y: '2' } }], 'anew'],
    ['below metadata a number, then text', [meta({ y: 1 })], [meta({ y: '2' })], 'anew'],
    ['an object without fields, again', [{ x: {} }], [{ x: {} }, { x: {} }], 'alone'],
    ['an object without fields, then one', [{ x: {} }], [{ x: { a: 1 } }], 'anew'],
    ['lists of lists', [{ x: [[1, 2]] }], [{ x: [[3]] }, { x: 1 }], 'alone'],
    ['text or an object', [{ x: { a: 1 } }, { x: 'a' }], [{ x: { b: 1 } }, { x: 'b' }], 'alone'],
    ['a map', [{ x: keys }], [{ x: { other: 1 } }, { x: { k1: 'a' } }], 'alone'],
    ['two spellings', [{ x: 1 }, { X: 2 }], [{ X: 3 }, { x: 4 }, { X: 5, x: 6 }], 'alone'],
    ['a second spelling', [{ x: 1 }], [{ X: 2 }], 'alone'],
    ['a second spelling of other type', [{ x: 1 }], [{ X: 'a' }], 'anew'],
    ['a number too large', ['18446744073709551615'], ['18446744073709551614', '7'], 'alone'],
    ['a number far too large', ['1'], ['98446744073709551614'], 'anew'],
    ['a scalar for a record', [meta({ y: 1 }), { metadata: 1 }], [{ metadata: 2 }], 'alone'],
  ] as const)('%s', async (_what, first, then, loaded) => {
    const fixture = createRefreshFixture({ [edge]: much + first.map(withX).join('') });
    await fixture.refresh();
    const size = statSync(fixture.path(edge)).size;
    appendFileSync(fixture.path(edge), then.map(withX).join(''));
    const { loads } = await fixture.refresh();
    const alone = `${edge} from ${size}`;
    expect(loads).toEqual(loaded === 'anew' ? [alone, edge] : [alone]);
    const anew = await fixture.reload();
    expect(fixture.manifest().schemas).toEqual(anew.schemas);
    expect(await fixture.rowsOf()).toEqual(await fixture.rowsOf(anew));
    expect(reportsOf(fixture.manifest())).toEqual(reportsOf(anew));
    fixture.remove();
  });

  test('what is told of its records stays told', async () => {
    const fixture = createRefreshFixture({ [edge]: much + withX({ x: keys }) });
    await fixture.refresh();
    const { warnings } = fixture.manifest();
    expect(Object.values(warnings).flat()).toHaveLength(1);
    appendFileSync(fixture.path(edge), line(fewRecords));
    await fixture.refresh();
    expect(fixture.manifest().warnings).toEqual(warnings);
    fixture.remove();
  });

  function meta(request: object) {
    return { metadata: { request } };
  }

  /** A record with more fields; a text is the number that its field `x` has. */
  function withX(more: object | string): string {
    if (typeof more !== 'string') return line(fewRecords, more);
    return line(fewRecords, { x: 0 }).replace('"x":0', `"x":${more}`);
  }
});
