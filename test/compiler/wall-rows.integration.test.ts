import { afterAll, beforeAll, expect, test } from 'vitest';
import { printRefusal, printRows } from '../support/answers.js';
import { nightly } from '../support/nightly.js';
import { randomQuery } from '../support/random-query.js';
import { diceOf } from '../support/random-scope.js';
import {
  openQueryRunner,
  openQueryRunnerOverParts,
  type QueryRunner,
} from '../support/run-query.js';
import { gathered, ungathered } from '../support/wall-endpoints.js';

// The wall changes no answer, and nothing is gathered if all rows are the caller's own.
let whole: QueryRunner;
let parts: QueryRunner;

beforeAll(async () => {
  whole = await openQueryRunner();
  parts = await openQueryRunnerOverParts();
});
afterAll(() => Promise.all([whole.close(), parts.close()]));

/** The rows, sorted, or the refusal. */
async function answer(sql: string, caller?: string, runner = whole): Promise<string> {
  const asked = caller === undefined ? {} : { caller };
  const answered = await runner.runText(sql, asked).then(printRows, printRefusal);
  return answered.replace(/ at \[\d+:\d+\]$/, '');
}

function isSound(sql: string): boolean {
  try {
    whole.compiler.check({ name: 'web', sql, maxRows: 1, parameters: [] });
    return true;
  } catch {
    return false;
  }
}

const rounds = nightly(300, 8);

test(`${rounds} random queries return the same rows with and without the wall, in one part or in three`, async () => {
  const dice = diceOf(20_261);
  const wrong: string[] = [];
  let [withRows, asked] = [0, 0];
  while (asked < rounds) {
    const sql = randomQuery(dice);
    const own = sql.replaceAll('`logs.web`', 'web');
    const [one, other] = [await answer(sql), await answer(gathered, own)];
    // Queries that are refused only from callers, such as seven levels of sub-selects, cannot be compared.
    if (other.startsWith('resourcesExceeded')) continue;
    // Nor can those with a fault in a CTE that they do not read, which a stored query has only for `check`.
    if (!isSound(sql)) continue;
    asked++;
    if (one.startsWith('rows: {')) withRows++;
    const inParts = await answer(gathered, own, parts);
    const withoutGather = await answer(ungathered, own, asked % 2 === 0 ? parts : whole);
    if ([other, inParts, withoutGather].some((answered) => answered !== one))
      wrong.push([sql, one, other, inParts, withoutGather].join('\n  '));
  }
  wrong.sort((a, b) => a.length - b.length);
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(withRows).toBeGreaterThan(rounds * 0.4);
});

test.each([
  ['nothing', ungathered, []],
  ['a condition', gathered, ['gathered/web']],
  [
    'a time window',
    "with web as (select id from `logs.web` where timestamp > '2026-03-01') select id from web",
    ['gathered/web'],
  ],
  [
    'a part of the rows',
    'with web as (select id from `logs.web` limit 3) select id from web',
    ['gathered/web'],
  ],
  [
    'groups',
    'with web as (select id from `logs.web` group by id) select id from web',
    ['gathered/web'],
  ],
  [
    'a sub-select over another CTE',
    'with own as (select id from `logs.web` where id is not null), web as (select id, (select count(*) from own) as n from `logs.web`) select id from web',
    ['gathered/web'],
  ],
  [
    'a recursion',
    'with recursive web as (select id, 1 as n from `logs.web` union all select id, n + 1 from web where n < 2) select id from web',
    ['gathered/web'],
  ],
  [
    'computed columns',
    'with web as (select upper(id) as id from `logs.web`) select id from web',
    [],
  ],
])('the tables gathered from an endpoint with %s', (_title, endpoint, tables) => {
  const { steps = [] } = whole.prepare(endpoint, {
    caller: "select count(*) as n from web where id > 'a'",
  });
  expect(steps.map(({ table }) => table)).toEqual(tables);
});
