import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ask, endlessSql, metricOf } from '../support/ask-service.js';
import { childrenOf, hasProc, workOf } from '../support/engines.js';
import { isFullLength } from '../support/nightly.js';
import { fixtures } from '../support/paths.js';
import { type Service, startService } from '../support/start-service.js';

// A single engine process, so that a cancelled query that still occupies it is noticed.
let service: Service;
beforeAll(async () => {
  const limits = ['--max-concurrent-queries', '1', '--query-timeout', '60s', '--memory-limit'];
  const unkept = ['--query-cache', '0', '--newest-rows', '0'];
  service = await startService(['--data', fixtures, ...unkept, ...limits, '500MB']);
});
afterAll(() => service.stop());

const soon = { timeout: 60_000, interval: 10 };
const small = { sql: 'select count(*) as n from edge_logs' };
const running = () => metricOf(service, 'engine_running');
const waiting = () => metricOf(service, 'queue_length');
const engines = () => childrenOf(service.pid);

/** A caller's request, and its outcome. */
function start(...[parameters, more]: [Record<string, string>, { endpoint?: string }?]) {
  const caller = new AbortController();
  const ended = ask(service, parameters, { ...more, signal: caller.signal }).then(
    ({ status }) => status,
    () => 'gone',
  );
  return { leave: () => caller.abort(), ended };
}

/** Pauses the idle processes, so that statements wait until the returned function is called. */
async function pauseEngines(): Promise<() => void> {
  await expect.poll(() => engines().length, soon).toBeGreaterThan(0);
  const paused = engines();
  for (const pid of paused) process.kill(pid, 'SIGSTOP');
  return () => {
    for (const pid of paused) if (engines().includes(pid)) process.kill(pid, 'SIGCONT');
  };
}

describe.runIf(hasProc)('a caller who disconnects', () => {
  test('stops the work in the engine', async () => {
    const caller = start({ sql: endlessSql });
    await expect.poll(running, soon).toBe(1);
    const work = () => engines().reduce((sum, pid) => sum + workOf(pid), 0);
    const before = work();
    await expect.poll(work, soon).toBeGreaterThan(before + 20);
    caller.leave();
    expect(await caller.ended).toBe('gone');
    await expect.poll(running, soon).toBe(0);
    const workIn = async (ms: number) => {
      const start = work();
      await sleep(ms);
      return work() - start;
    };
    await expect.poll(() => workIn(300), soon).toBeLessThan(10);
    expect((await ask(service, small)).status).toBe(200);
  });

  test('leaves the queue', async () => {
    const first = start({ sql: endlessSql });
    await expect.poll(running, soon).toBe(1);
    const second = start(small);
    await expect.poll(waiting, soon).toBe(1);
    second.leave();
    await expect.poll(waiting, soon).toBe(0);
    expect(await running()).toBe(1);
    first.leave();
    expect((await ask(service, small)).status).toBe(200);
  });

  test.runIf(isFullLength)('leaves a process that is still opening', async () => {
    await expect.poll(() => engines().length, soon).toBeGreaterThan(0);
    const before = engines();
    for (const pid of before) process.kill(pid, 'SIGKILL');
    // The server starts a spare within two seconds; it is paused before it has opened its data.
    const isNew = (pid: number) => !before.includes(pid);
    await expect.poll(() => engines().some(isNew), { ...soon, interval: 1 }).toBe(true);
    const release = await pauseEngines();
    const caller = start(small);
    await expect.poll(running, soon).toBe(1);
    caller.leave();
    await expect.poll(running, soon).toBe(0);
    release();
    expect((await ask(service, small)).status).toBe(200);
  });
});

describe.runIf(hasProc)('callers who share a computation', () => {
  const counts = { endpoint: 'usage.api-counts' };

  test.runIf(isFullLength)('get the result when one of them disconnects', async () => {
    const release = await pauseEngines();
    const [one, other] = [
      start({ interval: 'daily' }, counts),
      start({ interval: 'daily' }, counts),
    ];
    await expect.poll(running, soon).toBe(1);
    // Both may still be arriving.
    await sleep(200);
    one.leave();
    expect(await one.ended).toBe('gone');
    await sleep(200);
    expect(await running()).toBe(1);
    release();
    expect(await other.ended).toBe(200);
  });

  test('stop it when all of them have disconnected', async () => {
    const release = await pauseEngines();
    const callers = [start({ interval: 'hourly' }, counts), start({ interval: 'hourly' }, counts)];
    await expect.poll(running, soon).toBe(1);
    await sleep(200);
    for (const caller of callers) caller.leave();
    await expect.poll(running, soon).toBe(0);
    release();
    expect((await ask(service, { interval: 'hourly' }, counts)).status).toBe(200);
  });
});
