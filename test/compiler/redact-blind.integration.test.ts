import { afterAll, beforeAll, expect, test } from 'vitest';
import { printRefusal } from '../support/answers.js';
import { blindQuery } from '../support/blind-query.js';
import { personRows } from '../support/blind-rows.js';
import { nightly } from '../support/nightly.js';
import { diceOf } from '../support/random-scope.js';
import { openQueryRunner, type QueryRunner } from '../support/run-query.js';

// Two sets of logs that differ only in personal data give the same answer to any query, byte for byte.
// So no query can reveal the originals.
const rounds = nightly(150, 4);
const layouts = ['struct', 'list'] as const;
let runners: Readonly<Record<(typeof layouts)[number], readonly [QueryRunner, QueryRunner]>>;

beforeAll(async () => {
  const open = (layout: 'struct' | 'list', person: 'jane' | 'bo') =>
    openQueryRunner({ layout, threads: 1, rows: personRows(layout, person) });
  runners = {
    struct: [await open('struct', 'jane'), await open('struct', 'bo')],
    list: [await open('list', 'jane'), await open('list', 'bo')],
  };
});
afterAll(async () => {
  await Promise.all(Object.values(runners).flatMap((pair) => pair.map((one) => one.close())));
});

/** The endpoint whose CTE the caller's queries read. */
const sql = 'with web as (select * from `logs.web` order by timestamp desc) select id from web';

/** The body, unparsed, or the refusal. */
async function answer(runner: QueryRunner, caller: string, redact: boolean): Promise<string> {
  return runner.runText(sql, { caller, redact }).catch(printRefusal);
}

/** Whether the engine failed, other than by a refusal. */
function isFailure(answered: string): boolean {
  return answered.startsWith('Error');
}

test.each(layouts)(
  `${rounds} random queries over two persons' logs, stored as %s`,
  async (layout) => {
    const dice = diceOf(layout === 'struct' ? 7 : 8);
    const [jane, bo] = runners[layout];
    const both = (text: string, redact: boolean) =>
      Promise.all([answer(jane, text, redact), answer(bo, text, redact)]);
    const wrong: string[] = [];
    let revealing = 0;
    for (let round = 0; round < rounds; round++) {
      const text = blindQuery(dice);
      const [one, other] = await both(text, true);
      const [plainOne, plainOther] = await both(text, false);
      if (one !== other) wrong.push(`${text}\n  jane ${one}\n  bo ${other}`);
      else if (isFailure(one) && !isFailure(plainOne)) wrong.push(`${text}\n  ${one}`);
      if (plainOne !== plainOther) revealing++;
    }
    wrong.sort((a, b) => a.length - b.length);
    expect(wrong.slice(0, 5)).toEqual([]);
    // If few answers depended on the originals, the test would prove little.
    expect(revealing).toBeGreaterThan(nightly(rounds * 0.3, 0));
  },
);
