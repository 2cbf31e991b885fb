import { expect, test, vi } from 'vitest';
import { instantOf, parseTimeZone } from '../../../src/compiler/bound/time-zone.js';
import { createCompiler } from '../../../src/compiler/compile.js';
import { webSource } from '../../support/web-source.js';

/** How many formatters a piece of work makes. */
function formattersMadeBy(work: () => unknown): number {
  const { DateTimeFormat } = Intl;
  const spy = vi.spyOn(Intl, 'DateTimeFormat').mockImplementation(function make(...given) {
    return new DateTimeFormat(...given);
  });
  work();
  const made = spy.mock.calls.length;
  spy.mockRestore();
  return made;
}

test('a zone has one formatter, however many literals name it', () => {
  const literals = Array.from(
    { length: 1_300 },
    (_, i) => `timestamp '2026-01-01 00:00:${i % 60} ${i % 2 ? 'Asia/Tokyo' : 'asia/tokyo'}'`,
  );
  const sql = `select array_length([${literals.join(', ')}]) as n`;
  const compiler = createCompiler([webSource('struct')]);
  const compile = () => compiler.compile({ name: 'web', sql, maxRows: 1, parameters: [] });
  expect(formattersMadeBy(compile)).toBe(1);
  expect(compile().sql).toContain('2025-12-31 15:00:59');
});

test('no zone needs a second one after all the others were named', () => {
  const readAll = () => {
    for (const name of Intl.supportedValuesOf('timeZone')) parseTimeZone(name);
  };
  readAll();
  expect(formattersMadeBy(readAll)).toBe(0);
});

test.each([
  ['2026-01-01T00:00:00Z', '2025-12-31T15:00:00Z', 'Asia/Tokyo'],
  ['2026-07-01T00:00:00Z', '2026-07-01T04:00:00Z', 'America/New_York'],
  // An hour that the clock skips, and the first of one that it shows twice.
  ['2026-03-08T02:30:00Z', '2026-03-08T07:30:00Z', 'America/New_York'],
  ['2026-11-01T01:30:00Z', '2026-11-01T05:30:00Z', 'America/New_York'],
])('%s on the clock is %s in %s, asked twice', (civil, instant, name) => {
  const zone = parseTimeZone(name) ?? { minutes: 0 };
  expect(instantOf(Date.parse(civil), zone)).toBe(Date.parse(instant));
  expect(instantOf(Date.parse(civil), zone)).toBe(Date.parse(instant));
});

test('a zone that is not there stays unknown', () => {
  expect([parseTimeZone('No/Such'), parseTimeZone('No/Such')]).toEqual([undefined, undefined]);
});
