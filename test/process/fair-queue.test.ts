import { describe, expect, test } from 'vitest';
import { createQueue } from '../../src/process/fair-queue.js';

/** A queue that records the caller of each turn in the order in which they start. */
function createFixture(options: Partial<Parameters<typeof createQueue>[0]> = {}) {
  const queue = createQueue({ maxRunning: 1, maxRunningPerCaller: 1, maxWaiting: 3, ...options });
  const begun: string[] = [];
  const refused: string[] = [];
  const leaves: (() => void)[] = [];
  const enter = (caller: string, signal = new AbortController().signal) =>
    queue.enter({ signal, caller }).then(
      (leave) => {
        begun.push(caller);
        leaves.push(leave);
      },
      (error: Error) => {
        refused.push(`${caller}: ${error.message}`);
      },
    );
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const enterAll = async (callers: string) => {
    for (const caller of callers) void enter(caller);
    await settle();
  };
  const leaveAll = async () => {
    for (let leave = leaves.shift(); leave !== undefined; leave = leaves.shift()) {
      leave();
      await settle();
    }
  };
  return { queue, begun, refused, enter, enterAll, leaveAll, leaves, settle };
}

describe('turns', () => {
  test.each([
    ['of one caller come in the order of its requests', 'aaaa', 'aaaa'],
    ['of two callers alternate', 'aaabb', 'ababa'],
    ['of a caller who comes later are not last', 'aaaab', 'abaaa'],
    ['of three callers rotate', 'aabbcc', 'abcabc'],
  ])('%s', async (_what, asked, order) => {
    const { begun, enterAll, leaveAll } = createFixture({ maxWaiting: 10 });
    await enterAll(asked);
    await leaveAll();
    expect(begun.join('')).toBe(order);
  });

  test('go to the caller with the fewest running', async () => {
    const { begun, enterAll, leaves, settle } = createFixture({
      maxRunning: 3,
      maxRunningPerCaller: 3,
      maxWaiting: 10,
    });
    await enterAll('aaaab');
    leaves[0]?.();
    await settle();
    expect(begun.join('')).toBe('aaab');
  });

  test('start when the queue may run more', async () => {
    const { queue, begun, enterAll, leaveAll, settle } = createFixture({ maxWaiting: 10 });
    await enterAll('aab');
    queue.resize({ maxRunning: 2, maxRunningPerCaller: 1 });
    await settle();
    expect(begun.join('')).toBe('ab');
    queue.resize({ maxRunning: 1, maxRunningPerCaller: 1 });
    await enterAll('b');
    await leaveAll();
    expect(begun.join('')).toBe('abab');
  });

  test('leave room for others if the limit for one caller is lower', async () => {
    const { queue, begun, enterAll } = createFixture({ maxRunning: 3, maxRunningPerCaller: 2 });
    await enterAll('aaab');
    expect(begun.join('')).toBe('aab');
    expect([queue.running, queue.waiting]).toEqual([3, 1]);
  });
});

test('connections of one caller that ask again at once have as many turns each', async () => {
  const queue = createQueue({ maxRunning: 4, maxRunningPerCaller: 3, maxWaiting: 64 });
  const turns = Array.from({ length: 64 }, () => 0);
  const ask = async (connection: number) => {
    const { signal } = new AbortController();
    for (let n = 0; n < 20; n += 1) {
      const leave = await queue.enter({ signal, caller: 'a' });
      turns[connection] = (turns[connection] ?? 0) + 1;
      // No connection is ahead of another by more than a turn.
      expect(Math.max(...turns) - Math.min(...turns)).toBeLessThanOrEqual(1);
      await new Promise((resolve) => setImmediate(resolve));
      leave();
    }
  };
  await Promise.all(turns.map((_, connection) => ask(connection)));
  expect(new Set(turns)).toEqual(new Set([20]));
});

describe('when the queue is full', () => {
  test('a single caller is refused immediately', async () => {
    const { refused, enterAll } = createFixture();
    await enterAll('aaaaa');
    expect(refused).toEqual([
      'a: The query queue is full (--max-queued-queries is 3); try again later',
    ]);
  });

  test('the caller with the most waiting makes room for another', async () => {
    const { begun, refused, enterAll, leaveAll } = createFixture();
    await enterAll('aaaab');
    expect(refused).toEqual([expect.stringMatching(/^a: .*--max-queued-queries/)]);
    await leaveAll();
    expect(begun.join('')).toBe('abaa');
  });

  test('a caller with as many waiting as the others is refused', async () => {
    const { refused, enterAll } = createFixture();
    await enterAll('aaab');
    expect(refused).toEqual([]);
    await enterAll('b');
    expect(refused).toEqual([expect.stringMatching(/^b: /)]);
  });
});

describe('a caller who disconnects', () => {
  test('leaves the queue to the others', async () => {
    const { begun, refused, enter, enterAll, leaveAll, settle } = createFixture();
    const caller = new AbortController();
    await enterAll('a');
    void enter('b', caller.signal);
    await enterAll('c');
    caller.abort();
    await settle();
    expect(refused).toEqual(['b: The query was cancelled while it waited']);
    await leaveAll();
    expect(begun.join('')).toBe('ac');
  });

  test('before entering gets no turn', async () => {
    const { queue, refused, enter } = createFixture();
    await enter('a', AbortSignal.abort());
    expect([refused.length, queue.running]).toEqual([1, 0]);
  });
});

test('nothing is running once all have left', async () => {
  const { queue, enterAll, leaveAll } = createFixture({ maxRunning: 2 });
  await enterAll('abcab');
  await leaveAll();
  expect([queue.running, queue.waiting]).toEqual([0, 0]);
});
