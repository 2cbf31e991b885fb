import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ask } from '../support/ask-service.js';
import { childrenOf, hasProc } from '../support/engines.js';
import { nightly } from '../support/nightly.js';
import { fixtures } from '../support/paths.js';
import { randomFrom } from '../support/random.js';
import { type Service, startService } from '../support/start-service.js';

const kills = nightly(60, 6);

/** Queries of one caller each; a new text in the place of `NEW` keeps every answer from being a cached one. */
const queries = [
  `select count(*) as n, max(timestamp) as t, 'NEW' as x from edge_logs`,
  `select id, event_message, 'NEW' as x from edge_logs order by timestamp desc, id limit 50`,
  `select m.host, count(*) as n, 'NEW' as x from postgres_logs cross join unnest(metadata) as m
    group by 1 order by 1`,
  // Runs long enough to be killed while it runs.
  `select count(*) as n, 'NEW' as x from edge_logs as a cross join auth_logs as b
    where a.event_message || b.event_message || 'NEW' > b.id`,
];

const tokens = queries.map((_, index) => `token-of-caller-${index}-0123456789`);

/** A caller who sends one query again and again, with another new text each time. */
function createCaller(service: Service, index: number) {
  let sent = 0;
  const send = async () => {
    sent += 1;
    const sql = queries[index]?.replaceAll('NEW', `text ${sent}`) ?? '';
    const response = await ask(service, { sql }, { token: tokens[index] ?? '' });
    return { status: response.status, text: await response.text(), name: `text ${sent}` };
  };
  let running = send();
  return {
    /** The answer to the query that runs now. */
    running: () => running,
    /** The bodies of all answers until `isOver`, with the same text in place of the new ones. */
    async sendUntil(isOver: () => boolean): Promise<readonly string[]> {
      const answers: string[] = [];
      while (!isOver()) {
        const { status, text, name } = await running;
        answers.push(`${status} ${text.replaceAll(`"${name}"`, '""')}`);
        running = send();
      }
      await running;
      return answers;
    },
  };
}

test.runIf(hasProc)('processes that are killed under load cost no answer', async () => {
  const flags = ['--data', fixtures, '--threads', '1', '--max-concurrent-queries', '3'];
  const service = await startService(flags, { LOG_ENDPOINTS_TOKENS: tokens.join(',') });
  const random = randomFrom(kills);
  const callers = tokens.map((_, index) => createCaller(service, index));
  let killed = 0;
  let isOver = false;
  const asking = Promise.all(callers.map((caller) => caller.sendUntil(() => isOver)));
  const allAnswered = () => Promise.all(callers.map((caller) => caller.running()));
  try {
    // The answers before the first kill are the right ones.
    await allAnswered();
    while (killed < kills) {
      const pids = childrenOf(service.pid, killed % 2 === 0 ? 'engine' : 'compile');
      const pid = pids[random() % Math.max(1, pids.length)];
      if (pid !== undefined) {
        process.kill(pid, 'SIGKILL');
        killed += 1;
      }
      // No query meets two kills, which would be a 503.
      await allAnswered();
      await sleep(random() % 300);
    }
  } finally {
    isOver = true;
  }
  for (const [index, answers] of (await asking).entries()) {
    const [first, ...others] = [...new Set(answers)];
    expect(first, queries[index]).toMatch(/^200 \{"result":\[\{/);
    expect(others, queries[index]).toEqual([]);
    expect(answers.length).toBeGreaterThan(kills / 2);
  }
  expect(await service.stop()).toBe(0);
});
