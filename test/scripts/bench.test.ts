import { describe, expect, test } from 'vitest';
import { readArguments, UsageError } from '../../scripts/bench/arguments.mjs';
import { median, medians } from '../../scripts/bench/measure.mjs';
import { printTable } from '../../scripts/bench/table.mjs';

describe('the command line of npm run bench', () => {
  test('sizes are sorted, defaults filled in', () => {
    expect(readArguments(['2000', '1000', '--runs', '3', '--no-postgres'])).toEqual({
      sizes: [1000, 2000],
      data: undefined,
      runs: 3,
      memoryLimit: '2GB',
      repeat: 3,
      profile: undefined,
      prices: false,
      against: undefined,
      anyway: false,
      postgres: false,
      out: 'bench/results.md',
    });
    expect(readArguments([])).toMatchObject({ sizes: [100_000] });
    expect(readArguments(['--help'])).toBe('help');
  });

  test.each([
    [['10']],
    [['many']],
    [['1e6']],
    [['1000', '--runs', '0']],
    [['1000', '--memory-limit', '2']],
    [['1000', '--unknown']],
    [['1000', '--data']],
  ])('%j is rejected with a message of one line', (args) => {
    expect(() => readArguments(args)).toThrow(UsageError);
    expect(() => readArguments(args)).toThrow(/^[^\n]+$/);
  });
});

test('runs of the tasks are interleaved, each after an untimed one, after a quarter as many runs to warm up', async () => {
  const order: string[] = [];
  const tasks = [() => order.push('a'), async () => order.push('b')];
  const times = await medians(4, tasks, () => order.push('-'));
  expect(order.join('')).toBe('ab-aa-bb-aa-bb-aa-bb-aa-bb');
  expect(times).toHaveLength(2);
  expect(median([5, 1, 3])).toBe(3);
});

test('a Markdown table right-aligns its numbers', () => {
  const rows = [
    ['', 'ms', 'target'],
    ['a', '1.50', '< 2'],
    ['bcde', '12', ''],
  ];
  expect(printTable(rows)).toBe(
    [
      '|      |   ms | target |',
      '| ---- | ---: | ------ |',
      '| a    | 1.50 | < 2    |',
      '| bcde |   12 |        |',
    ].join('\n'),
  );
});
