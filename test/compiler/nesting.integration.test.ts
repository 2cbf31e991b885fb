import { expect, test } from 'vitest';
import { createCompiler } from '../../src/compiler/compile.js';
import { ServiceError } from '../../src/errors/errors.js';
import type { SourceSchema } from '../../src/types/schema.js';
import { bindings, nestedCalls } from '../support/nested-calls.js';
import { nightly, sample } from '../support/nightly.js';

const scalars = {
  id: 'STRING',
  timestamp: 'TIMESTAMP',
  bytes: 'BYTES',
  n: 'INT64',
  ratio: 'FLOAT64',
  day: 'DATE',
  civil: 'DATETIME',
  clock: 'TIME',
  num: 'NUMERIC',
  flag: 'BOOL',
} as const;

const source: SourceSchema = {
  name: 'web',
  columns: [
    ...Object.entries(scalars).map(([name, kind]) => ({ name, type: { kind }, stored: true })),
    {
      name: 'tags',
      type: { kind: 'ARRAY', layout: 'list', element: { kind: 'STRING' } },
      stored: true,
    },
  ],
};
const compiler = createCompiler([source]);

/** The cost of binding an expression; undefined if the compiler refuses it. */
function cost(expression: string): number | undefined {
  const sql = `select ${expression} as x from \`logs.web\``;
  try {
    return bindings(compiler.compile({ name: 'web', sql, maxRows: 10, parameters: [] }).sql);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

const calls = sample(nestedCalls(), 8).flatMap(({ label, at }) => {
  const deep = cost(at(6));
  return deep === undefined ? [] : [{ label, at, deep }];
});

test('most functions can be nested', () => {
  expect(calls.length).toBeGreaterThan(nightly(500, 50));
});

test.each(calls)('$label grows linearly with the depth of nesting', ({ at, deep }) => {
  const [two = 0, four = 0] = [2, 4].map((depth) => cost(at(depth)));
  expect(deep - four).toBeLessThanOrEqual(1.5 * (four - two) + 150);
});
