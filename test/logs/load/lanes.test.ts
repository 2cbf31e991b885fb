import { expect, test } from 'vitest';
import { createLanes } from '../../../src/logs/load/lanes.js';
import type { TaskProcess } from '../../../src/process/task.js';

/** Processes that do nothing, and how many were started. */
function fakeProcesses() {
  const started: TaskProcess<Record<string, never>>[] = [];
  const start = () => {
    let isAlive = true;
    const one = {
      pid: undefined,
      run: () => Promise.reject(new Error('it has no tasks')),
      isAlive: () => isAlive,
      end: () => {
        isAlive = false;
      },
      ended: new Promise<never>(() => {}),
    };
    started.push(one);
    return one;
  };
  return { start, started };
}

const minuteMs = 60_000;

/** Work that lasts until `end` is called. */
function longWork() {
  let end = () => {};
  const done = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { work: () => done, end: () => end() };
}

test('short work shares one process, which stays', async () => {
  const { start, started } = fakeProcesses();
  const lanes = createLanes(start, minuteMs);
  await Promise.all([1, 2, 3].map(() => lanes.use(async () => {}, false)));
  await lanes.use(async () => {}, false);
  expect(started.map((one) => one.isAlive())).toEqual([true]);
});

test('long work delays no other work', async () => {
  const { start, started } = fakeProcesses();
  const lanes = createLanes(start, minuteMs);
  const long = longWork();
  const working = lanes.use(long.work, false);
  await lanes.use(async () => {}, false);
  expect(started.length).toBe(2);
  long.end();
  await working;
});

test('there are at most two processes, however much work is long', async () => {
  const { start, started } = fakeProcesses();
  const lanes = createLanes(start, minuteMs);
  const long = longWork();
  const working = [1, 2, 3, 4].map(() => lanes.use(long.work, false));
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(started.length).toBe(2);
  long.end();
  await Promise.all(working);
  expect(started.length).toBe(2);
});

test('a process that has ended, or must be another, is not used again', async () => {
  const { start, started } = fakeProcesses();
  const lanes = createLanes(start, minuteMs);
  await lanes.use(async (child) => child.end(), false);
  await lanes.use(async () => {}, false);
  await lanes.use(async () => {}, true);
  // One idle process stays.
  expect(started.map((one) => one.isAlive())).toEqual([false, true, false]);
});

test('work that fails gives its process back, and the next in line takes it', async () => {
  const { start, started } = fakeProcesses();
  const lanes = createLanes(start, minuteMs);
  const failing = lanes.use(() => Promise.reject(new Error('no')), false);
  const next = lanes.use(async () => 'next', false);
  await expect(failing).rejects.toThrow('no');
  expect([await next, started.length]).toEqual(['next', 1]);
});

test('without a time to stay, a process ends with its work', async () => {
  const { start, started } = fakeProcesses();
  const lanes = createLanes(start, 0);
  await lanes.use(async () => {}, false);
  expect(started.map((one) => one.isAlive())).toEqual([false]);
});
