import { expect, test } from 'vitest';
import { createFileTimes } from '../../../src/logs/shapes/file-times.js';

const [a, b] = ['"a"', '"b"'];

/** The times of records in microseconds before the file was written; text is a time of their own. */
function timesOf(
  records: readonly (readonly [project: string, time?: string])[],
  otherwise?: string,
) {
  const times = createFileTimes(1_000, otherwise);
  for (const [project, time] of records) times.count(project, time);
  return records.map(([project, time]) => {
    const given = times.give(project, time);
    return given === undefined || given.startsWith('"') ? given : 1_000_000 - Number(given);
  });
}

test('the last record of a project has the time of the file, those before it less', () => {
  expect(timesOf([[a], [a], [a]])).toEqual([2, 1, 0]);
});

test('no time depends on records of other projects', () => {
  const others = Array.from({ length: 50 }, () => [b] as const);
  expect(timesOf([[a], ...others, [a]]).filter((_, n) => n === 0 || n === 51)).toEqual([1, 0]);
  expect(timesOf([[a], [b, '"no time"'], [a]])).toEqual([1, '"no time"', 0]);
});

test('a record without a time, of a project with times, has none, or the one that is given', () => {
  expect(timesOf([[a], [a, '"2026"']])).toEqual([undefined, '"2026"']);
  expect(timesOf([[a], [a, '"2026"']], '"file"')).toEqual(['"file"', '"2026"']);
});
