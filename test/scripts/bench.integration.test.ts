import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { allowedMs } from '../../scripts/bench/goals.mjs';
import { treeCpuMs, untilQuiet } from '../../scripts/bench/processor-time.mjs';
import { empty, queries } from '../../scripts/bench/queries.mjs';

const work = 'while (process.cpuUsage().user < 3e5);';

/** A process that works for 0.3 processor seconds in a child, which exits, and then waits. */
const parent = `
  require('node:child_process').spawnSync(process.execPath, ['-e', ${JSON.stringify(work)}]);
  console.log('done');
  setInterval(() => {}, 60_000);`;

test('processor time counts children that have exited, and ends when all are quiet', async () => {
  const child = spawn(process.execPath, ['-e', parent], { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const { pid = 0 } = child;
    await once(child.stdout, 'data');
    expect(treeCpuMs(pid)).toBeGreaterThan(290);
    expect(await untilQuiet(pid)).toBeGreaterThan(290);
  } finally {
    child.kill();
  }
});

/** An answer with the times that bounds depend on. */
function answerTo(what: string, rows: number, postgres?: number) {
  const query = [...queries, empty].find((each) => each.what === what) ?? empty;
  return { query, rows, cold: 0, http: 4, again: 0, engine: 0, byHand: 10, postgres, cpu: 0 };
}

test.each([
  ['newest 100 of a project', 100, 2, 6],
  ['newest 100 of a project', 100, 1, 5.5],
  ['newest 100 of the smallest project', 85, undefined, 5.5],
  ['1,000 rows with metadata, by sql', 1000, 20, 15],
  ['1,000 rows with metadata, by sql', 1000, undefined, 15],
  ['newest 100 of a past window', 100, 1, 15],
  ['an absent project', 0, 1, 15],
])('%s, %i rows, with PostgreSQL in %s ms may take %s ms', (what, rows, postgres, allowed) => {
  const answer = answerTo(what, rows, postgres);
  expect(answer.query.what).toBe(what);
  expect(allowedMs(answer, [answer, answerTo(empty.what, 0)])).toBeCloseTo(allowed);
});
