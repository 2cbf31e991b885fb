import { afterAll, beforeAll, expect, test } from 'vitest';
import { printRefusal } from '../support/answers.js';
import { blindQuery } from '../support/blind-query.js';
import { personRows } from '../support/blind-rows.js';
import { diceOf } from '../support/random-scope.js';
import { openQueryRunner, type QueryRunner } from '../support/run-query.js';
import { soak } from '../support/soak.js';

// Logs that differ in personal data alone give a caller the same answer, byte for byte, whatever the
// query: the proof that nothing of the original can be seen.
const rounds = soak(300, 8);
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

/** The body as it comes, or the refusal. */
async function answer(runner: QueryRunner, caller: string, redact: boolean): Promise<string> {
  return runner.runText(sql, { caller, redact }).catch(printRefusal);
}

/** A failure of the engine's, and no refusal. */
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
    let telling = 0;
    for (let round = 0; round < rounds; round++) {
      const text = blindQuery(dice);
      const [one, other] = await both(text, true);
      const [plainOne, plainOther] = await both(text, false);
      if (one !== other) wrong.push(`${text}\n  jane ${one}\n  bo ${other}`);
      else if (isFailure(one) && !isFailure(plainOne)) wrong.push(`${text}\n  ${one}`);
      if (plainOne !== plainOther) telling++;
    }
    wrong.sort((a, b) => a.length - b.length);
    expect(wrong.slice(0, 5)).toEqual([]);
    // Were the originals nothing to most of them, they would prove little.
    expect(telling).toBeGreaterThan(soak(rounds * 0.3, 0));
  },
);
