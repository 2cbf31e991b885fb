import { expect, test } from 'vitest';
import { didYouMean, maxSuggestedName, nearest } from '../../src/errors/suggest.js';

const long = 'a'.repeat(maxSuggestedName);

test.each([
  ['idd', ['id', 'name'], 'id'],
  ['NAEM', ['id', 'Name'], 'Name'],
  ['x', ['', 'project'], undefined],
  ['x', ['id'], undefined],
  ['cout', ['cot', 'count', 'coat'], 'count'],
  ['timestamp', ['time', 'timestmap', 'stamp'], 'timestmap'],
])('%s among %j suggests %s', (name, candidates, expected) => {
  expect(nearest(name, candidates)).toBe(expected);
});

test('names up to the limit get a suggestion, longer ones do not', () => {
  expect(didYouMean(long, [`${long.slice(1)}b`])).toBe(`; did you mean ${long.slice(1)}b?`);
  expect(didYouMean(`${long}a`, [long, `${long}b`])).toBe('');
});

test('a candidate longer than the limit is skipped', () => {
  expect(nearest(long, [`${long}a`])).toBeUndefined();
  expect(nearest(long, [`${long}a`, `${long.slice(3)}bcd`])).toBe(`${long.slice(3)}bcd`);
});
