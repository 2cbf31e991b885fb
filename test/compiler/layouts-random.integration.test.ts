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

// A query returns the same rows, or the same refusal, whatever the layout of records, the number of parts, and what these store.
const rounds = nightly(700, 12);
const seed = 2026;
let runners: readonly QueryRunner[];

beforeAll(async () => {
  runners = [
    await openQueryRunner({ layout: 'struct' }),
    await openQueryRunner({ layout: 'list' }),
    await openQueryRunnerOverParts(),
    await openQueryRunnerOverParts('struct', 'mixed'),
    await openQueryRunnerOverParts('list', 'mixed'),
  ];
});
afterAll(() => Promise.all(runners.map((runner) => runner.close())));

/** The rows, sorted, or the refusal. */
async function answer(runner: QueryRunner, sql: string): Promise<string> {
  return runner.runText(sql).then(printRows, printRefusal);
}

test(`${rounds} random queries over both layouts, and over three parts, alike or not`, async () => {
  const dice = diceOf(seed);
  const wrong: string[] = [];
  let withRows = 0;
  for (let round = 0; round < rounds; round++) {
    const sql = randomQuery(dice);
    const answers = runners.map((runner) => answer(runner, sql));
    const [one = '', other, third, ...mixed] = await Promise.all(answers);
    if (one.startsWith('rows: {')) withRows++;
    if (one !== other) wrong.push(`${sql}\n  struct ${one}\n  list ${other}`);
    else if (one !== third) wrong.push(`${sql}\n  one part ${one}\n  three ${third}`);
    else if (mixed.some((each) => each !== one)) wrong.push([sql, one, ...mixed].join('\n  '));
    else if (one.startsWith('Error')) wrong.push(`${sql}\n  ${one}`);
  }
  wrong.sort((a, b) => a.length - b.length);
  expect(wrong.slice(0, 5)).toEqual([]);
  // If most queries were refused or returned no rows, the test would prove little.
  expect(withRows).toBeGreaterThan(rounds * 0.4);
});
