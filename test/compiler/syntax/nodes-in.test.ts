import { expect, test } from 'vitest';
import { nodesIn } from '../../../src/compiler/syntax/nodes-in.js';
import { parse } from '../../../src/compiler/syntax/syntax.js';

test('each node comes before its parts, from left to right', () => {
  const kinds = nodesIn(parse('select -a, 1 from t')).map(({ kind }) => kind);
  expect(kinds).toEqual([
    ...['query', 'select', 'item', 'unary', 'path', 'item', 'literal', 'table'],
  ]);
});

test('a list may be longer than the arguments of a call', () => {
  const elements = Array.from({ length: 500_000 }, (_, at) => ({ kind: 'star', at }));
  expect(nodesIn({ kind: 'array', elements }).length).toBe(500_001);
});
