import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { Compile, CompileData } from '../../../src/compiler/compile-sandbox.js';
import { startCompileProcess } from '../../../src/compiler/pool/compile-process.js';
import { createCompilePool } from '../../../src/compiler/pool/pool.js';
import { ServiceError } from '../../../src/errors/errors.js';
import {
  ask,
  closePools,
  createFixture,
  data,
  failureOf,
  ownProgram,
} from '../../support/compile-fixture.js';
import { sample } from '../../support/nightly.js';

afterEach(closePools);

/** The longest time, in milliseconds, that the event loop was blocked while `work` ran. */
async function longestStall(work: Promise<unknown>): Promise<number> {
  let longest = 0;
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
  }, 5);
  await work;
  clearInterval(timer);
  return Math.max(longest, performance.now() - last);
}

describe('a query that exceeds a limit or crashes', () => {
  test('fails alone at the time limit, without blocking this thread', async () => {
    const { pool } = createFixture({ program: ownProgram, timeoutMs: 1_500 });
    const compile = pool.open(data);
    await ask(compile, 'first');
    const ended: string[] = [];
    const end = (what: string) => () => void ended.push(what);
    const hanging = failureOf(ask(compile, 'hang'));
    void hanging.then(end('hanging'));
    const other = ask(compile, 'select 1', { caller: 'two' }).then(end('other'));
    const stall = await longestStall(hanging);
    await other;
    expect(ended).toEqual(['other', 'hanging']);
    const error = await hanging;
    expect(error).toMatchObject({ faults: [{ reason: 'timeout', location: 'sql' }] });
    expect(String(error)).toContain('1500 ms (--compile-timeout)');
    // A loop in this thread would be one stall of 1,500 ms.
    expect(stall).toBeLessThan(1_200);
    expect((await ask(compile, 'next')).query.sql).toBe('1: next');
    await expect.poll(() => pool.state().restarts).toBe(1);
  });

  test.each(sample(['eat-numbers', 'eat-once'], 2))(
    'fails alone at the memory limit: %s',
    async (text) => {
      const { pool } = createFixture({ program: ownProgram, timeoutMs: 60_000 });
      const compile = pool.open(data);
      const error = await failureOf(ask(compile, text));
      expect(error).toMatchObject({ faults: [{ reason: 'resourcesExceeded', location: 'sql' }] });
      expect(String(error)).toContain('MB of memory to compile');
      expect((await ask(compile, 'next')).query.sql).toBe('1: next');
    },
    90_000,
  );

  test.each(
    sample(
      [
        ['exit', 'ended by exit code 3'],
        ['fail', 'ended by exit code 1'],
      ],
      2,
    ),
  )('fails alone in a crash: %s', async (text, message) => {
    const { pool } = createFixture({ program: ownProgram });
    const compile = pool.open(data);
    const error = await failureOf(ask(compile, text));
    expect(error).not.toBeInstanceOf(ServiceError);
    expect(String(error)).toContain(message);
    expect((await ask(compile, 'next')).query.sql).toBe('1: next');
    await expect.poll(() => pool.state()).toEqual({ running: 0, waiting: 0, restarts: 1 });
  });
});

/** Has two queries compiled of which the second starts before the first has ended. */
async function growToTwo(compile: Compile): Promise<void> {
  const texts = ['a', 'b', 'c'];
  for (let isParallel = false; !isParallel; ) {
    const asked = ['one', 'two'].map((caller) =>
      ask(compile, `wait ${texts.push(caller)}`, { caller }),
    );
    const [first, second] = await Promise.all(asked);
    isParallel = first !== undefined && second !== undefined && second.waitMs < 10;
  }
}

describe('a process that another program kills', () => {
  test('costs no answer: the query is compiled in another one', async () => {
    const { pool } = createFixture({ program: ownProgram });
    const text = `die-once ${join(mkdtempSync(join(tmpdir(), 'killed-')), 'killed')}`;
    expect((await ask(pool.open(data), text)).query.sql).toBe(`1: ${text}`);
    await expect.poll(() => pool.state()).toEqual({ running: 0, waiting: 0, restarts: 1 });
  });

  test('twice is backendBusy', async () => {
    const { pool } = createFixture({ program: ownProgram });
    const compile = pool.open(data);
    const error = await failureOf(ask(compile, 'die'));
    expect(error).toMatchObject({ faults: [{ reason: 'backendBusy' }] });
    expect(String(error)).toContain('killed twice');
    expect((await ask(compile, 'next')).query.sql).toBe('1: next');
    await expect.poll(() => pool.state().restarts).toBe(2);
  });
});

describe('callers take turns', () => {
  test('a caller with many queries gets only one of the processes', async () => {
    const { pool } = createFixture({ program: ownProgram });
    const compile = pool.open(data);
    await growToTwo(compile);
    const send = (caller: string, index: number) =>
      ask(compile, `wait ${caller} ${index}`, { caller });
    const many = Array.from({ length: 6 }, (_, index) => send('one', index));
    expect(pool.state()).toMatchObject({ running: 1, waiting: 5 });
    const two = send('two', 0);
    expect(pool.state()).toMatchObject({ running: 2, waiting: 5 });
    await two;
    await Promise.all(many);
    expect(pool.state()).toMatchObject({ running: 0, waiting: 0 });
  });

  test('an expensive query of one caller does not keep another one waiting', async () => {
    const { pool } = createFixture({ program: ownProgram, timeoutMs: 5_000 });
    const compile = pool.open(data);
    await ask(compile, 'first');
    const ended: string[] = [];
    const hanging = failureOf(ask(compile, 'hang')).then(() => ended.push('one'));
    const { waitMs } = await ask(compile, 'second', { caller: 'two' });
    ended.push('two');
    // A second process has started for it.
    expect(waitMs).toBeGreaterThan(20);
    await hanging;
    expect(ended).toEqual(['two', 'one']);
  });

  test('only the caller whose query ended a process waits for its replacement', async () => {
    const { pool } = createFixture({ program: ownProgram });
    const compile = pool.open(data);
    await growToTwo(compile);
    const ended: string[] = [];
    const send = (text: string, caller: string) =>
      ask(compile, text, { caller }).then(() => ended.push(caller));
    const crashed = failureOf(ask(compile, 'exit'));
    const next = send('next', 'one');
    await crashed;
    expect(pool.state()).toMatchObject({ running: 1, waiting: 1 });
    await send('beside', 'two');
    await next;
    expect(ended).toEqual(['two', 'one']);
  });

  test('a query is refused if the queue is full', async () => {
    const { pool } = createFixture({ program: ownProgram, maxQueuedQueries: 1 });
    const compile = pool.open(data);
    const sent = ['a', 'b', 'c'].map((name) => failureOf(ask(compile, `wait ${name}`)));
    expect(await Promise.all(sent)).toMatchObject([
      undefined,
      undefined,
      { faults: [{ reason: 'backendBusy' }] },
    ]);
  });

  test('a single caller may use both processes', async () => {
    const { pool } = createFixture({ program: ownProgram, callers: 1 });
    const compile = pool.open(data);
    await growToTwo(compile);
    const both = ['a', 'b'].map((name) => ask(compile, `wait ${name}`));
    expect(pool.state()).toMatchObject({ running: 2, waiting: 0 });
    await Promise.all(both);
  });
});

test('a caller who disconnects leaves the queue immediately', async () => {
  const { pool } = createFixture({ program: ownProgram });
  const compile = pool.open(data);
  const first = ask(compile, 'wait');
  const caller = new AbortController();
  const second = failureOf(ask(compile, 'second', { signal: caller.signal }));
  expect(pool.state()).toMatchObject({ running: 1, waiting: 1 });
  caller.abort();
  expect(await second).toMatchObject({ faults: [{ reason: 'timeout' }] });
  expect(pool.state()).toMatchObject({ running: 1, waiting: 0 });
  await first;
});

describe('a closed pool', () => {
  test('fails running, waiting and new queries', async () => {
    const { pool } = createFixture({ program: ownProgram });
    const compile = pool.open(data);
    await ask(compile, 'first');
    const running = failureOf(ask(compile, 'hang'));
    const waiting = failureOf(ask(compile, 'second'));
    await sleep(50);
    await pool.close();
    const late = failureOf(ask(compile, 'third'));
    const refused = { faults: [{ reason: 'backendBusy' }] };
    expect(await Promise.all([running, waiting, late])).toMatchObject([refused, refused, refused]);
    expect(pool.state().restarts).toBe(0);
  });

  test('starts no process', async () => {
    let started = 0;
    const start = (first: CompileData) => {
      started += 1;
      return startCompileProcess(first, ownProgram);
    };
    const pool = createCompilePool({ timeoutMs: 100, maxQueuedQueries: 1, callers: 1, start });
    await pool.close();
    pool.open(data);
    expect(started).toBe(0);
  });
});

test('backendBusy if a process ends while it starts', async () => {
  const { pool } = createFixture({ program: '/no/such/program.mjs' });
  const error = await failureOf(ask(pool.open(data), 'select 1'));
  expect(error).toMatchObject({ faults: [{ reason: 'backendBusy' }] });
});
