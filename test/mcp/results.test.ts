import { expect, test } from 'vitest';
import { rowsResult } from '../../src/mcp/results.js';
import type { Answer } from '../../src/run/run-endpoint.js';

const limits = { maxRows: 3, maxBytes: 40 };

/** An answer with these rows as its JSON, of which `rowCount` says how many there are. */
function answerOf(body: string, rowCount: number): Answer {
  const timings = { queueMs: 0, engineMs: 0, encodeMs: 0 };
  return {
    result: { body: Buffer.from(body), format: 'json', rowCount, truncated: false, timings },
    columns: [{ name: 'n', type: { kind: 'INT64' } }],
    sent: new Map(),
    endpoint: 'logs.all',
    ...{ state: 'BYPASS', ageSeconds: 0, secondsLeft: 0, compileMs: 0, waitMs: 0 },
  };
}

test.each([
  ['all that there are', '[{"n":1},{"n":2}]', 2, [1, 2]],
  ['none', '[]', 0, []],
  ['at most the limit of rows', '[{"n":1},{"n":2},{"n":3},{"n":4}]', 4, [1, 2, 3]],
  [
    'those within the limit of bytes',
    '[{"n":111111111111},{"n":222222222222},{"n":3}]',
    3,
    [111_111_111_111, 222_222_222_222],
  ],
  [
    'those that fit exactly',
    '[{"n":1111111111111},{"n":2222222222222}]',
    2,
    [1_111_111_111_111, 2_222_222_222_222],
  ],
  ['no row that is larger than the limit', `[{"n":"${'x'.repeat(100)}"},{"n":1}]`, 2, []],
  ['whole characters only', `[{"n":1},{"n":"${'é'.repeat(100)}"}]`, 2, [1]],
])('a model gets rows: %s', (_what, body, rowCount, shown) => {
  const { structuredContent } = rowsResult(answerOf(body, rowCount), limits, '');
  expect(structuredContent).toMatchObject({
    rows: shown.map((n) => ({ n })),
    totalRows: rowCount,
    isCut: shown.length < rowCount,
  });
});

// An answer of 32 MB must not cost the server's thread more than one of 32 KB.
test('what is behind the limit is not read', () => {
  const body = `[{"n":1},{"n":2},${'{"n":3,"broken'.repeat(1_000)}`;
  const { structuredContent } = rowsResult(answerOf(body, 1_002), limits, '');
  expect(structuredContent).toMatchObject({ rows: [{ n: 1 }, { n: 2 }], isCut: true });
});
