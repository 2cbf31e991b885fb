import { expect, test } from 'vitest';
import {
  parsePosition,
  printPosition,
  startPosition,
  type TailRow,
  takeNew,
} from '../../src/run/tail-position.js';

const second = 1_000_000n;

/** Rows by their numbers, each at its own second or the given one, newest first. */
function rows(...numbers: readonly (number | readonly [number, at: number])[]): TailRow[] {
  return numbers.map((one) => {
    const [number, at] = typeof one === 'number' ? [one, one] : one;
    const digest = String(number).padStart(12, '0');
    return { raw: String(number), digest, micros: BigInt(at) * second };
  });
}

const start = startPosition(rows(100, 99), 200);

test('only rows that are new are taken, oldest first', () => {
  const news = takeNew(start, rows(102, 101, 100, 99), 200);
  expect([news.rows, news.hasGap]).toEqual([['101', '102'], false]);
  expect(takeNew(news.position, rows(102, 101, 100), 200).rows).toEqual([]);
});

test('a row that comes late is taken, too', () => {
  expect(takeNew(start, rows(100, [7, 95], 99), 200).rows).toEqual(['7']);
  expect(start.floor).toBe(90n * second);
});

test('a row at the newest instant is taken, too', () => {
  expect(takeNew(start, rows([8, 100], 100, 99), 200).rows).toEqual(['8']);
});

test('where more rows are new than asked for, there is a gap', () => {
  const news = takeNew(start, rows(105, 104), 2);
  expect([news.rows, news.hasGap]).toEqual([['104', '105'], true]);
  expect(takeNew(start, rows(101, 100), 2).hasGap).toBe(false);
});

test('an event has a megabyte of rows, and at least one', () => {
  const large = (row: TailRow) => ({ ...row, raw: 'x'.repeat(700_000) });
  const news = takeNew(start, rows(102, 101).map(large), 200);
  expect([news.rows.length, news.hasGap]).toEqual([1, true]);
});

test('what is known is bounded', () => {
  let position = start;
  for (let at = 101; at < 400; at++) ({ position } = takeNew(position, rows(at, at - 1), 200));
  expect(position.known.size).toBe(11);
});

test('a printed position goes on where it was', () => {
  const text = printPosition(startPosition(rows([1, 100], [2, 100], 99), 200));
  expect(text).toBe('100000000.000000000001.000000000002');
  const read = parsePosition(text);
  expect(read && takeNew(read, rows([3, 100], [2, 100], [1, 100]), 200).rows).toEqual(['3']);
});

test.each(['', 'x', '1.2', '1.00000000000g', '9'.repeat(18), '-99999999999999999', '1\n', "1'"])(
  'no position: %s',
  (text) => {
    expect(parsePosition(text)).toBeUndefined();
  },
);
