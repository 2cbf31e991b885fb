import { expect, test } from 'vitest';
import { loadFolder, makeFolder } from '../../support/load-logs.js';

const pad = (index: number) => `${index}`.padStart(6, '0');
// More than are loaded with one thread.
const event_message = 'x'.repeat(500);
const line = (index: number, second: number) =>
  `${JSON.stringify({ id: pad(index), timestamp: 1_700_000_000 + second, event_message })}\n`;
const lines = (from: number, to: number, secondOf: (index: number) => number) =>
  Array.from({ length: to - from }, (_, index) => line(from + index, secondOf(from + index))).join(
    '',
  );
const rising = (index: number) => index / 2;

const cases: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
  ['files in order', { b: lines(0, 40_000, rising), a: lines(40_000, 70_000, rising) }],
  [
    'files that overlap',
    { b: lines(0, 40_000, rising), a: lines(40_000, 70_000, (i) => rising(i - 50)) },
  ],
  [
    'a file out of order',
    { b: lines(0, 40_000, (i) => rising(i ^ 1)), a: lines(40_000, 70_000, rising) },
  ],
  [
    'a line that is not a record',
    { b: lines(0, 40_000, rising), a: `?\n${lines(40_000, 70_000, rising)}` },
  ],
];

test.each(cases)('%s: the table is in order of time, then of id', async (_name, files) => {
  const names = Object.entries(files).map(([name, text]) => [`edge_logs/${name}.ndjson`, text]);
  const loaded = await loadFolder(makeFolder(Object.fromEntries(names)), { threads: 2 });
  const columns = "rowid::bigint as index, id || ' ' || epoch_us(timestamp) as record";
  const rows = (await loaded.rows('edge_logs', columns)) as readonly Stored[];
  // Sorted by `id`, like `rows`.
  const stored = rows.toSorted((one, other) => Number(one.index) - Number(other.index));
  const sorted = rows.toSorted((one, other) => timeOf(one) - timeOf(other));
  expect(stored).toHaveLength(70_000);
  expect(stored).toEqual(sorted);
});

interface Stored {
  readonly index: unknown;
  readonly record: string;
}

function timeOf({ record }: Stored): number {
  return Number(record.split(' ')[1]);
}
