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
const short = { duration: 'short', mustBeNew: false } as const;
const long = { ...short, duration: 'long' } as const;
const again = { ...short, mustBeNew: true } as const;

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
  await Promise.all([1, 2, 3].map(() => lanes.use(async () => {}, short)));
  await lanes.use(async () => {}, short);
  expect(started.map((one) => one.isAlive())).toEqual([true]);
});

test('long work delays no short work, which has a process of its own', async () => {
  const { start, started } = fakeProcesses();
  const lanes = createLanes(start, minuteMs);
  const { work, end } = longWork();
  const working = [1, 2, 3].map(() => lanes.use(work, long));
  await lanes.use(async () => {}, short);
  await lanes.use(async () => {}, short);
  expect(started.length).toBe(2);
  end();
  await Promise.all(working);
});

test('short work that turns out to be long delays other short work for a second', async () => {
  const { start, started } = fakeProcesses();
  const lanes = createLanes(start, minuteMs);
  const { work, end } = longWork();
  const working = lanes.use(work, short);
  expect(await lanes.use(async () => 'next', short)).toBe('next');
  expect(await lanes.use(async () => 'later', short)).toBe('later');
  expect(started.length).toBe(2);
  end();
  await working;
});

test('work that waited in vain for its own process takes the other one later', async () => {
  const { start } = fakeProcesses();
  const lanes = createLanes(start, minuteMs);
  const [first, longer] = [longWork(), longWork()];
  const working = lanes.use(first.work, short);
  const next = lanes.use(async () => 'next', short);
  await new Promise((resolve) => setTimeout(resolve, 400));
  const waiting = lanes.use(longer.work, long);
  first.end();
  expect(await next).toBe('next');
  longer.end();
  await Promise.all([working, waiting]);
});

test('there are at most two processes, however much work is long', async () => {
  const { start, started } = fakeProcesses();
  const lanes = createLanes(start, minuteMs);
  const { work, end } = longWork();
  const working = [short, long, short, long].map((duration) => lanes.use(work, duration));
  await new Promise((resolve) => setTimeout(resolve, 700));
  expect(started.length).toBe(2);
  end();
  await Promise.all(working);
  expect(started.length).toBe(2);
});

test('a process that has ended, or must be another, is not used again', async () => {
  const { start, started } = fakeProcesses();
  const lanes = createLanes(start, minuteMs);
  await lanes.use(async (child) => child.end(), short);
  await lanes.use(async () => {}, short);
  await lanes.use(async () => {}, again);
  // One idle process stays.
  expect(started.map((one) => one.isAlive())).toEqual([false, true, false]);
});

test('work that fails gives its process back, and the next in line takes it', async () => {
  const { start, started } = fakeProcesses();
  const lanes = createLanes(start, minuteMs);
  const failing = lanes.use(() => Promise.reject(new Error('no')), short);
  const next = lanes.use(async () => 'next', short);
  await expect(failing).rejects.toThrow('no');
  expect([await next, started.length]).toEqual(['next', 1]);
});

test('without a time to stay, a process ends with its work', async () => {
  const { start, started } = fakeProcesses();
  const lanes = createLanes(start, 0);
  await lanes.use(async () => {}, short);
  expect(started.map((one) => one.isAlive())).toEqual([false]);
});
