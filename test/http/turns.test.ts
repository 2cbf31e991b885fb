import { setImmediate as nextRound } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createTurns } from '../../src/http/turns.js';

/** Work of several callers, each piece of which takes some milliseconds; records who worked in which round. */
function createFixture() {
  let nowMs = 0;
  const takeTurn = createTurns(() => nowMs);
  const client = new AbortController();
  const rounds: string[] = [];
  let current = '';
  const work = async (caller: string, ms: number) => {
    await takeTurn(caller, AbortSignal.any([client.signal]));
    // Work that follows at once belongs to the turn.
    await undefined;
    current += caller;
    nowMs += ms;
  };
  /** Called before the work, so that its rounds begin before those of the turns. */
  const run = async (count: number) => {
    for (let round = 0; round < count; round += 1) {
      await nextRound();
      rounds.push(current);
      current = '';
    }
    return rounds;
  };
  return { work, run, leave: () => client.abort() };
}

test('heavy work of one caller is done piece by piece, a round of the event loop each', async () => {
  const { work, run } = createFixture();
  const rounds = run(5);
  for (let n = 0; n < 4; n += 1) void work('a', 5);
  expect(await rounds).toEqual(['a', 'a', 'a', 'a', '']);
});

test('another caller waits for one piece of it', async () => {
  const { work, run } = createFixture();
  const rounds = run(4);
  for (let n = 0; n < 4; n += 1) void work('a', 5);
  void work('b', 5);
  expect(await rounds).toEqual(['ab', 'a', 'a', 'a']);
});

test('light work is done together, for a millisecond in a round', async () => {
  const { work, run } = createFixture();
  const rounds = run(4);
  for (let n = 0; n < 10; n += 1) void work('a', 0.25);
  expect(await rounds).toEqual(['aaaa', 'aaaa', 'aa', '']);
});

test('turns of one caller come in the order in which they were asked for', async () => {
  const { work, run } = createFixture();
  const done: number[] = [];
  for (let n = 0; n < 5; n += 1) void work('a', 1).then(() => done.push(n));
  await run(6);
  expect(done).toEqual([0, 1, 2, 3, 4]);
});

test('what waits for a client that leaves is not done', async () => {
  const { work, run, leave } = createFixture();
  const rounds = run(3);
  const done = Array.from({ length: 3 }, () => work('a', 5));
  leave();
  expect((await Promise.allSettled(done)).map(({ status }) => status)).toEqual([
    ...['fulfilled', 'rejected', 'rejected'],
  ]);
  expect(await rounds).toEqual(['a', '', '']);
});

test('a thousand turns of a caller may wait, and do not keep another from its own', async () => {
  const { work } = createFixture();
  for (let n = 0; n < 1_001; n += 1) void work('a', 0);
  await expect(work('a', 0)).rejects.toMatchObject({ faults: [{ reason: 'backendBusy' }] });
  await work('b', 0);
});

// Answers that came in the order in which sockets happened to be ready gave one connection twenty times what another got.
test('connections that ask again at once have as many turns each', async () => {
  const takeTurn = createTurns(() => performance.now());
  const turns = Array.from({ length: 64 }, () => 0);
  const ask = async (connection: number) => {
    for (let n = 0; n < 10; n += 1) {
      await takeTurn('a', new AbortController().signal);
      turns[connection] = (turns[connection] ?? 0) + 1;
      expect(Math.max(...turns) - Math.min(...turns)).toBeLessThanOrEqual(1);
    }
  };
  await Promise.all(turns.map((_, connection) => ask(connection)));
  expect(new Set(turns)).toEqual(new Set([10]));
});
