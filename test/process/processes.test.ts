import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createProcesses, type WorkProcess } from '../../src/process/processes.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Processes that are all this one, so their memory is its memory. */
function createFakes() {
  const started: (WorkProcess & { readonly isEnded: () => boolean })[] = [];
  const start = () => {
    let isEnded = false;
    let settle = () => {};
    const ended = new Promise<void>((resolve) => {
      settle = resolve;
    });
    const one = {
      pid: process.pid,
      opened: Promise.resolve(),
      ended,
      isAlive: () => !isEnded,
      isEnded: () => isEnded,
      end() {
        isEnded = true;
        settle();
      },
    };
    started.push(one);
    return one;
  };
  return { started, processes: createProcesses({ start, max: 3 }) };
}

/** Takes two processes, and lets them be idle for a minute. */
async function useTwo({ processes }: ReturnType<typeof createFakes>, meanwhile = () => {}) {
  const taken = [processes.take(false), processes.take(false)];
  await Promise.all(taken.map(({ opened }) => opened));
  meanwhile();
  for (const one of taken) processes.giveBack(one);
  await vi.advanceTimersByTimeAsync(60_000);
  return taken;
}

test('of processes that stay idle the last used one is kept', async () => {
  const fakes = createFakes();
  const taken = await useTwo(fakes);
  expect(taken.map((one) => one.isAlive())).toEqual([false, true]);
  expect(fakes.processes.state()).toMatchObject({ restarts: 0, canStart: true });
  await fakes.processes.end();
});

const hasProc = process.platform === 'linux';

test.runIf(hasProc)('none is kept that has grown: a new one takes its place', async () => {
  const fakes = createFakes();
  const kept: Buffer[] = [];
  const taken = await useTwo(fakes, () => kept.push(Buffer.alloc(400_000_000, 1)));
  expect(kept).toHaveLength(1);
  expect(taken.map((one) => one.isAlive())).toEqual([false, false]);
  const [newest] = fakes.started.toReversed();
  expect(newest?.isEnded()).toBe(false);
  expect(fakes.processes.state()).toMatchObject({ restarts: 0 });
  await fakes.processes.end();
});
