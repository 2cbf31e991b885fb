import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Statement } from '../../../../src/engine/engine.js';
import { openQueryRunnerOverParts, type QueryRunner } from '../../../support/run-query.js';

// Reads of a source in three parts. layouts-random.integration.test.ts compares the rows.
let runner: QueryRunner;

beforeAll(async () => {
  runner = await openQueryRunnerOverParts();
});
afterAll(() => runner.close());

const endpoint = `with web as (select id, timestamp, metadata from \`logs.web\` where id <> 'x' order by timestamp desc)
    select id from web order by timestamp desc limit 2`;

function statementOf(caller?: string, stored = endpoint): Statement {
  return runner.prepare(stored, { maxRows: 3, ...(caller === undefined ? {} : { caller }) });
}

async function lookAt(statement: Statement) {
  const { signal } = new AbortController();
  const { body: json } = await runner.engine.run(statement, { signal });
  const plan = await runner.engine.explainPlan(statement);
  const tops = plan.match(/TOP_N/g)?.length ?? 0;
  return {
    ids: JSON.parse(Buffer.from(json).toString()).map(({ id }: { id: string }) => id),
    tops,
  };
}

type Read = readonly [
  what: string,
  sql: string | undefined,
  ids: readonly string[],
  stored?: string,
];

const reads: readonly Read[] = [
  ['of a stored query', undefined, ['e', 'd']],
  [
    'of a stored query without a limit',
    undefined,
    ['e', 'd', 'c'],
    'select id, timestamp from `logs.web` order by timestamp desc',
  ],
  [
    'in the other direction',
    undefined,
    ['a', 'b'],
    'select id, timestamp from `logs.web` order by timestamp limit 2',
  ],
  [
    'after an offset',
    undefined,
    ['d', 'c'],
    'select id, timestamp from `logs.web` order by timestamp desc limit 2 offset 1',
  ],
  [
    'through a sub-select',
    undefined,
    ['e', 'd'],
    'select id from (select id, timestamp from `logs.web`) order by timestamp desc limit 2',
  ],
  [
    'through two CTEs',
    undefined,
    ['e', 'd'],
    'with a as (select * from `logs.web`), b as (select id, timestamp from a) select id from b order by timestamp desc limit 2',
  ],
  ["of a caller's query", 'select id from web limit 2', ['e', 'd']],
  [
    "of a caller's query in a window",
    "select id from web where timestamp < '2026-03-02' limit 2",
    ['c', 'b'],
  ],
  ["of a caller's query without a limit", 'select id from web', ['e', 'd', 'c']],
];

describe('the first rows of a source are read from each part', () => {
  test.each(reads.map(([what, ...read]) => [what, read] as const))('%s', async (_what, read) => {
    const [sql, ids, stored = endpoint] = read;
    const found = await lookAt(statementOf(sql, stored));
    expect(found.ids).toEqual(ids);
    // One for each part, and one for their union.
    expect(found.tops).toBeGreaterThanOrEqual(4);
  });
});

describe('a query that depends on all rows reads the parts as one table', () => {
  test.each([
    [
      'a window function',
      'select id from (select id, row_number() over (order by timestamp desc) as n from web) where n <= 2 order by id',
      ['d', 'e'],
    ],
    [
      'a window function in ORDER BY',
      'select id from web order by row_number() over (order by id desc) limit 2',
      ['e', 'd'],
    ],
    ['DISTINCT', 'select distinct id from web order by id limit 2', ['a', 'b']],
    ['a group', 'select max(id) as id from web', ['e']],
    [
      'a join',
      'select a.id from web a join web b on a.id = b.id order by a.timestamp desc limit 2',
      ['e', 'd'],
    ],
    ['QUALIFY', 'select id from web where true qualify row_number() over (order by id) = 5', ['e']],
  ])('%s', async (_what, sql, ids) => {
    expect((await lookAt(statementOf(sql))).ids).toEqual(ids);
  });
});
