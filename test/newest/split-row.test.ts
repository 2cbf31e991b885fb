import { expect, test } from 'vitest';
import { columnName, splitRow } from '../../src/newest/split-row.js';
import { randomFrom } from '../support/random.js';

function rowOf(values: readonly unknown[]): string {
  return JSON.stringify(Object.fromEntries(values.map((value, at) => [columnName(at), value])));
}

function expectSplit(values: readonly unknown[]): void {
  const texts = splitRow(rowOf(values), values.length);
  expect(texts.map((text) => JSON.parse(text))).toEqual(values);
}

test.each([
  [[1]],
  [['a', null, true, -1.5e300]],
  [['quote " inside', 'backslash \\', '\\"', '},{"c1":']],
  [[[], {}, [[]], { a: '}]' }, 'last']],
  [['', [{ a: ['\\\\"', '{'] }], 'x,y:z', { b: [{ c: '"' }] }]],
])('%j', expectSplit);

test('random rows', () => {
  const next = randomFrom(1);
  const below = (count: number) => next() % count;
  const text = () =>
    Array.from({ length: below(6) }, () => 'a"\\{}[],:\n'.charAt(below(10))).join('');
  const value = (depth: number): unknown => {
    const kind = below(depth > 3 ? 3 : 5);
    if (kind === 0) return below(19) - 9;
    if (kind === 1) return text();
    if (kind === 2) return null;
    const inner = Array.from({ length: below(4) }, () => value(depth + 1));
    return kind === 3 ? inner : { [text()]: inner };
  };
  for (let round = 0; round < 2_000; round += 1) {
    expectSplit(Array.from({ length: 1 + below(14) }, () => value(0)));
  }
});
