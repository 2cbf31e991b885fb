import { expect, test } from 'vitest';
import { printInstant, readInstant, spanOf } from '../../src/newest/instants.js';
import { createKeptRows, earliest, latest } from '../../src/newest/kept-rows.js';
import { printRows } from '../../src/newest/print-rows.js';
import type { EncodedRow } from '../../src/newest/project-rows.js';
import { randomFrom } from '../support/random.js';

test.each([
  ['1970-01-01T00:00:00.000000+00:00', 0n],
  ['2026-03-10 12:00:00.000001+00:00', 1_773_144_000_000_001n],
  ['1969-12-31T23:59:59.999999+00:00', -1n],
  ['0001-01-01T00:00:00.000000+00:00', -62_135_596_800_000_000n],
  ['9999-12-31 23:59:59.999999+00:00', 253_402_300_799_999_999n],
])('%s', (text, instant) => {
  expect(readInstant(text)).toBe(instant);
  expect(printInstant(instant)).toBe(text.replace(' ', 'T'));
});

test('bounds', () => {
  const at = (second: number) => `1970-01-01T00:00:0${second}.000000+00:00`;
  expect(spanOf([])).toEqual({ after: earliest, until: latest });
  expect(
    spanOf([
      { operator: '>', time: at(1) },
      { operator: '>=', time: at(2) },
      { operator: '<', time: at(4) },
      { operator: '<=', time: at(5) },
    ]),
  ).toEqual({ after: 1_999_999n, until: 3_999_999n });
});

function rowAt(time: number, project: string | null = 'p'): EncodedRow {
  return { time: BigInt(time), project, lines: `${time}\n"${project}"` };
}

const all = { after: earliest, until: latest, limit: 10 };

test('without rows, nothing is known; once all are read, nothing is there', async () => {
  const kept = createKeptRows();
  expect(kept.find(all, 'p')).toBeUndefined();
  await kept.add([], earliest);
  expect(kept.find(all, 'p')).toEqual([]);
  expect(kept.find(all, undefined)).toEqual([]);
});

test('the rows of all projects are found only if there is one', async () => {
  const kept = createKeptRows();
  await kept.add([rowAt(2)], 1n);
  expect(kept.find({ ...all, after: 1n }, undefined)).toBeUndefined();
  await kept.add([rowAt(1)], earliest);
  expect(kept.find(all, undefined)).toHaveLength(2);
  await kept.add([rowAt(0, null)], earliest);
  expect(kept.find(all, undefined)).toBeUndefined();
  expect(kept.find(all, 'p')).toHaveLength(2);
  expect(kept.find(all, 'other')).toEqual([]);
});

test('any sequence of reads and drops finds exactly the rows, or nothing', async () => {
  const next = randomFrom(7);
  for (let round = 0; round < 60; round += 1) {
    const rows = Array.from({ length: next() % 700 }, () => rowAt(next() % 400, `p${next() % 3}`));
    rows.sort((one, other) => Number(other.time - one.time));
    const kept = createKeptRows();
    let reached = 400;
    let found = 0;
    const expectFound = () => {
      for (let each = 0; each < 20; each += 1) {
        const project = `p${next() % 4}`;
        const after = next() % 3 === 0 ? earliest : BigInt(next() % 400);
        const until = next() % 3 === 0 ? latest : BigInt(next() % 400);
        const span = { after, until, limit: 1 + (next() % 150) };
        const sought = kept.find(span, project);
        if (sought === undefined) continue;
        found += 1;
        const own = rows.filter((row) => row.project === project);
        const expected = own.filter(({ time }) => time > after && time <= until);
        const columns = [{ name: 'time', index: 0 }];
        const texts = JSON.parse(Buffer.from(printRows(sought, columns)).toString());
        expect(texts).toEqual(
          expected.slice(0, span.limit).map(({ time }) => ({ time: Number(time) })),
        );
      }
    };
    while (reached >= 0) {
      const to = reached - 1 - (next() % 200);
      const after = to < 0 ? earliest : BigInt(to);
      const read = rows.filter(({ time }) => time > after && time <= BigInt(reached));
      await kept.add(read, after);
      reached = to;
      expectFound();
    }
    expect(found).toBeGreaterThan(0);
    kept.dropUntil(BigInt(next() % 300));
    expectFound();
  }
});
