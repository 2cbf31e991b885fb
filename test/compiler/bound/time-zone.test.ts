import { expect, test, vi } from 'vitest';
import { civilToInstant, parseTimeZone } from '../../../src/compiler/bound/time-zone.js';
import { createCompiler } from '../../../src/compiler/compile.js';
import { webSource } from '../../support/web-source.js';

/** The number of formatters that a function creates. */
function formattersMadeBy(work: () => unknown): number {
  const { DateTimeFormat } = Intl;
  const spy = vi.spyOn(Intl, 'DateTimeFormat').mockImplementation(function make(...options) {
    return new DateTimeFormat(...options);
  });
  work();
  const made = spy.mock.calls.length;
  spy.mockRestore();
  return made;
}

// Files share a worker: no other test names this zone.
test('all literals of one zone share a formatter', () => {
  const literals = Array.from(
    { length: 1_300 },
    (_, i) => `timestamp '2026-01-01 00:00:${i % 60} ${i % 2 ? 'Asia/Chita' : 'asia/chita'}'`,
  );
  const sql = `select array_length([${literals.join(', ')}]) as n`;
  const compiler = createCompiler([webSource('struct')]);
  const compile = () => compiler.compile({ name: 'web', sql, maxRows: 1, parameters: [] });
  expect(formattersMadeBy(compile)).toBe(1);
  expect(compile().sql).toContain('2025-12-31 15:00:59');
});

test('the formatters of all zones are cached at the same time', () => {
  const readAll = () => {
    for (const name of Intl.supportedValuesOf('timeZone')) parseTimeZone(name);
  };
  readAll();
  expect(formattersMadeBy(readAll)).toBe(0);
});

test.each([
  ['2026-01-01T00:00:00Z', '2025-12-31T15:00:00Z', 'Asia/Tokyo'],
  ['2026-07-01T00:00:00Z', '2026-07-01T04:00:00Z', 'America/New_York'],
  // A civil time that daylight saving skips, and the first of two equal ones.
  ['2026-03-08T02:30:00Z', '2026-03-08T07:30:00Z', 'America/New_York'],
  ['2026-11-01T01:30:00Z', '2026-11-01T05:30:00Z', 'America/New_York'],
])('civil time %s is %s in %s, also when cached', (civil, instant, name) => {
  const zone = parseTimeZone(name) ?? { minutes: 0 };
  expect(civilToInstant(Date.parse(civil), zone)).toBe(Date.parse(instant));
  expect(civilToInstant(Date.parse(civil), zone)).toBe(Date.parse(instant));
});

test('an unknown zone stays unknown', () => {
  expect([parseTimeZone('No/Such'), parseTimeZone('No/Such')]).toEqual([undefined, undefined]);
});
