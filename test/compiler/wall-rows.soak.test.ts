import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SandboxQuery, StoredQuery } from '../../src/compiler/compile.js';
import { printRefusal, printRows } from '../support/answers.js';
import { randomQuery } from '../support/random-query.js';
import { diceOf } from '../support/random-scope.js';
import { soak } from '../support/soak.js';
import {
  caller,
  open,
  openSides,
  over,
  type Side,
  statementOf,
  stored,
} from '../support/web-sides.js';

// The wall changes no answer, and nothing is gathered where no row of others is there.
let whole: Side;
let parts: Side;
let close: () => Promise<unknown>;

beforeAll(async () => {
  ({ whole, parts, close } = await openSides());
});
afterAll(() => close());

/** The rows in an order of ours, or the refusal. */
async function answer(
  endpoint: StoredQuery,
  sandbox?: SandboxQuery,
  side: Side = whole,
): Promise<string> {
  try {
    const { signal } = new AbortController();
    const { json } = await side.engine.run(statementOf(endpoint, sandbox, side), { signal });
    return printRows(json);
  } catch (error) {
    return printRefusal(error).replace(/ at \[\d+:\d+\]$/, '');
  }
}

const rounds = soak(600, 40);

test(`${rounds} random queries answer the same rows with the wall as without, in one part or in three`, async () => {
  const dice = diceOf(20_261);
  const wrong: string[] = [];
  let [withRows, asked] = [0, 0];
  while (asked < rounds) {
    const sql = randomQuery(dice);
    const text = sql.replaceAll('`logs.web`', 'web');
    const own = caller(text);
    const [one, other] = [await answer(stored(sql)), await answer(over, own)];
    // What only callers may not do, such as seven levels of sub-selects, is no query to compare.
    if (other.startsWith('resourcesExceeded')) continue;
    asked++;
    if (one.startsWith('rows: {')) withRows++;
    const inParts = await answer(over, own, parts);
    const ungathered = await answer(open, own, asked % 2 === 0 ? parts : whole);
    if ([other, inParts, ungathered].some((answered) => answered !== one))
      wrong.push([sql, one, other, inParts, ungathered].join('\n  '));
  }
  wrong.sort((a, b) => a.length - b.length);
  expect(wrong.slice(0, 5)).toEqual([]);
  expect(withRows).toBeGreaterThan(rounds * 0.4);
});

test.each([
  ['nothing', open, []],
  ['a condition', over, ['gathered/web']],
  [
    'a time window',
    stored(
      "with web as (select id from `logs.web` where timestamp > '2026-03-01') select id from web",
    ),
    ['gathered/web'],
  ],
  [
    'a part of the rows',
    stored('with web as (select id from `logs.web` limit 3) select id from web'),
    ['gathered/web'],
  ],
  [
    'groups',
    stored('with web as (select id from `logs.web` group by id) select id from web'),
    ['gathered/web'],
  ],
  [
    'what a sub-select reads',
    stored(
      'with own as (select id from `logs.web` where id is not null), web as (select id, (select count(*) from own) as n from `logs.web`) select id from web',
    ),
    ['gathered/web'],
  ],
  [
    'computed columns',
    stored('with web as (select upper(id) as id from `logs.web`) select id from web'),
    [],
  ],
])('of an endpoint that asks for %s is gathered', (_title, endpoint, tables) => {
  const { steps = [] } = statementOf(endpoint, caller("select id from web where id > 'a'"));
  expect(steps.map(({ table }) => table)).toEqual(tables);
});
