import { expect, test } from 'vitest';
import {
  decodeBlock,
  type EncodedRow,
  encodeBlock,
  type StoredBlock,
} from '../../src/newest/block.js';
import { printInstant, readInstant, spanOf } from '../../src/newest/instants.js';
import { createKeptRows, earliest, latest } from '../../src/newest/kept-rows.js';
import { printRows } from '../../src/newest/print-rows.js';
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
  return { time: BigInt(time), project, values: [String(time), JSON.stringify(project)] };
}

/** Rows of which some are in blocks, as in a file. */
function createInMemory() {
  const bytes = new Map<number, Uint8Array>();
  const kept = createKeptRows((block) =>
    decodeBlock(block, bytes.get(block.position) ?? Buffer.of()),
  );
  const blockOf = (rows: readonly EncodedRow[]): StoredBlock => {
    const encoded = encodeBlock(rows, bytes.size);
    bytes.set(bytes.size, encoded.bytes);
    return encoded.block;
  };
  return { kept, blockOf };
}

const all = { after: earliest, until: latest, limit: 10 };

test('without rows, nothing is known; once all are written, nothing is there', () => {
  const { kept } = createInMemory();
  expect(kept.find(all, 'p')).toBeUndefined();
  kept.add({ blocks: [], completeAfter: earliest, open: [] });
  expect(kept.find(all, 'p')).toEqual([]);
  expect(kept.find(all, undefined)).toEqual([]);
});

test('the rows of all projects are found only if there is one', () => {
  const { kept, blockOf } = createInMemory();
  kept.add({ blocks: [blockOf([rowAt(2)])], completeAfter: 1n, open: [] });
  expect(kept.find({ ...all, after: 1n }, undefined)).toHaveLength(1);
  expect(kept.find({ ...all, after: 0n }, undefined)).toBeUndefined();
  kept.add({ blocks: [blockOf([rowAt(1)])], completeAfter: 0n, open: [['other', 1n]] });
  expect(kept.find({ ...all, after: 1n }, undefined)).toBeUndefined();
  kept.add({ blocks: [blockOf([rowAt(0, null)])], completeAfter: earliest, open: [] });
  expect(kept.find(all, undefined)).toBeUndefined();
  expect(kept.find(all, 'p')).toHaveLength(2);
  expect(kept.find(all, 'other')).toEqual([]);
});

test('any sequence of writes finds exactly the rows, or nothing', () => {
  const next = randomFrom(7);
  for (let round = 0; round < 60; round += 1) {
    const rows = Array.from({ length: 1 + (next() % 700) }, () =>
      rowAt(next() % 400, `p${next() % 3}`),
    );
    rows.sort((one, other) => Number(other.time - one.time));
    const { kept, blockOf } = createInMemory();
    let found = 0;
    let open: readonly EncodedRow[] = [];
    for (let at = 0; at < rows.length; ) {
      const read = rows.slice(at, at + 1 + (next() % 200));
      at += read.length;
      const isLast = at === rows.length;
      const [closed, left] = divide([...open, ...read], () => isLast || next() % 2 === 0);
      open = left.flat();
      const completeAfter = isLast ? earliest : (read.at(-1)?.time ?? latest);
      kept.add({ blocks: closed.map(blockOf), completeAfter, open: left.map(newestOf) });
      for (let each = 0; each < 20; each += 1) if (isFound(kept, rows, next)) found += 1;
    }
    expect(found).toBeGreaterThan(0);
  }
});

function newestOf([first]: readonly EncodedRow[]) {
  return [first?.project ?? null, first?.time ?? earliest] as const;
}

/** The rows of each project, in two groups. */
function divide(rows: readonly EncodedRow[], isFirst: () => boolean) {
  const projects = [...new Set(rows.map(({ project }) => project))];
  const all = projects.map((project) => rows.filter((row) => row.project === project));
  const marked = all.map((own) => ({ own, isFirst: isFirst() }));
  const group = (wanted: boolean) =>
    marked.filter((each) => each.isFirst === wanted).map(({ own }) => own);
  return [group(true), group(false)] as const;
}

/** Looks for a random span; false if that is not known. */
function isFound(
  kept: ReturnType<typeof createKeptRows>,
  rows: readonly EncodedRow[],
  next: () => number,
): boolean {
  const project = `p${next() % 4}`;
  const after = next() % 3 === 0 ? earliest : BigInt(next() % 400);
  const until = next() % 3 === 0 ? latest : BigInt(next() % 400);
  const span = { after, until, limit: 1 + (next() % 150) };
  const found = kept.find(span, project);
  if (found === undefined) return false;
  const own = rows.filter((row) => row.project === project);
  const expected = own.filter(({ time }) => time > after && time <= until).slice(0, span.limit);
  const printed = printRows(found, [{ name: 'time', index: 0 }], 100_000);
  if (printed === undefined) throw new Error('the rows were too large');
  const body = Buffer.from(printed).toString();
  expect(JSON.parse(body)).toEqual(expected.map(({ time }) => ({ time: Number(time) })));
  return true;
}
